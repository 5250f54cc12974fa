import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'

export type TicketKeyRow = Selectable<Schema['ticket_keys']>

/** Returns the newest. */
export async function findTicketKey(db: Reader): Promise<TicketKeyRow | undefined> {
  return db
    .selectFrom('ticket_keys')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function insertTicketKey(tx: Tx, row: TicketKeyRow): Promise<void> {
  await tx.insertInto('ticket_keys').values(row).execute()
}

export async function deleteOtherTicketKeys(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('ticket_keys').where('id', '<>', id).execute()
}
