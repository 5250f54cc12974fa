import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Reader, Tx } from '../database/database.ts'

export async function findProtection(db: Reader, projectId: string): Promise<string | null> {
  const row = await db
    .selectFrom('projects')
    .select('protection')
    .where('id', '=', projectId as Id<'project'>)
    .executeTakeFirst()
  return row?.protection ?? null
}

export async function deleteExpiredTickets(tx: Tx, at: number): Promise<void> {
  await tx.deleteFrom('used_tickets').where('expires_at', '<', at).execute()
}

/** False if it is there already. */
export async function insertUsedTicket(tx: Tx, row: { id: string; expires_at: number }): Promise<boolean> {
  const inserted = await tx
    .insertInto('used_tickets')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}
