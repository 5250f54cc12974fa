import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'

export type InternalRootRow = Selectable<Schema['internal_ca']>

/** The oldest first. */
export async function findInternalRoots(db: Reader): Promise<InternalRootRow[]> {
  return db.selectFrom('internal_ca').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function insertInternalRoot(tx: Tx, row: InternalRootRow): Promise<void> {
  await tx.insertInto('internal_ca').values(row).execute()
}
