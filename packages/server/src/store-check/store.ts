import type { BlobKey } from '../blobs/blob-store.ts'
import type { Reader, Tx } from '../database/database.ts'
import type { KnownStore } from './compare.ts'

const rowId = 'shared'

export async function findStore(db: Reader): Promise<KnownStore | null> {
  const row = await db
    .selectFrom('file_store')
    .select(['store_id', 'written_at'])
    .where('id', '=', rowId)
    .executeTakeFirst()
  return row === undefined ? null : { id: row.store_id, isWritten: row.written_at !== null }
}

/** Replaces the one that there is. */
export async function insertStore(tx: Tx, id: string): Promise<void> {
  const values = { store_id: id, written_at: null }
  await tx
    .insertInto('file_store')
    .values({ id: rowId, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute()
}

export async function markWritten(tx: Tx, id: string, at: number): Promise<void> {
  await tx.updateTable('file_store').set({ written_at: at }).where('store_id', '=', id).execute()
}

/** Some files that must be in the store. */
export async function someFiles(db: Reader, most: number): Promise<BlobKey[]> {
  const rows = await db
    .selectFrom('blobs')
    .select(['account_id', 'sha256'])
    .where('doomed_at', 'is', null)
    .limit(most)
    .execute()
  return rows.map(({ account_id, sha256 }) => ({ accountId: account_id, sha256 }))
}
