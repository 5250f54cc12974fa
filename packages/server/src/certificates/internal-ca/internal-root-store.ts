import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'

export type InternalRootRow = Omit<Selectable<Schema['internal_ca']>, 'id'>

const rootId = 'root'

export async function findInternalRoot(db: Reader): Promise<InternalRootRow | undefined> {
  return db.selectFrom('internal_ca').selectAll().where('id', '=', rootId).executeTakeFirst()
}

/** If several processes create one at once, the first wins. */
export async function insertInternalRoot(tx: Tx, row: InternalRootRow): Promise<void> {
  await tx
    .insertInto('internal_ca')
    .values({ id: rootId, ...row })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}
