import type { Id } from '@masthead/contract/ids.ts'
import { type Expression, type Simplify, sql } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'

export interface StoredBytes {
  /** Files in the account's space and the lists of files of its deployments, also of those not swept yet. */
  stored: number
  /** What uploads under way may still add. */
  reserved: number
}

export async function readStoredBytes(db: Reader, accountId: Id<'account'>): Promise<StoredBytes> {
  const files = await db
    .selectFrom('storage')
    .select('bytes')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const lists = await db
    .selectFrom('deployments')
    .select(({ ref }) => [
      total(ref('manifest_bytes')).as('bytes'),
      total(sql<number>`case when state = 'uploading' then reserved_bytes else 0 end`).as('reserved'),
    ])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const discarded = await db
    .selectFrom('discarded_manifests')
    .select(({ ref }) => total(ref('bytes')).as('bytes'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return {
    stored: (files?.bytes ?? 0) + lists.bytes + discarded.bytes,
    reserved: lists.reserved,
  }
}

/** PostgreSQL sums to a type of its own, and to null where there is nothing. */
function total(of: Expression<number>) {
  return sql<Simplify<number>>`cast(coalesce(sum(${of}), 0) as bigint)`
}

/** Under the lock of the account's uploads, as everything that changes what it stores. */
export async function addStored(tx: Tx, accountId: Id<'account'>, bytes: number): Promise<void> {
  if (bytes === 0) return
  await tx
    .insertInto('storage')
    .values({ account_id: accountId, bytes })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((e) => ({ bytes: e('storage.bytes', '+', bytes) })),
    )
    .execute()
}

export async function setReserved(tx: Tx, id: Id<'deployment'>, bytes: number): Promise<void> {
  await tx.updateTable('deployments').set({ reserved_bytes: bytes }).where('id', '=', id).execute()
}

/** What was reserved has been stored. */
export async function useReserved(tx: Tx, id: Id<'deployment'>, bytes: number): Promise<void> {
  if (bytes === 0) return
  await tx
    .updateTable('deployments')
    .set({
      reserved_bytes: sql<number>`case when reserved_bytes > ${bytes} then reserved_bytes - ${bytes} else 0 end`,
    })
    .where('id', '=', id)
    .execute()
}
