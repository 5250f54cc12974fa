import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type TicketKeyRow = Selectable<Schema['ticket_keys']>

/** Newest first. */
export async function findTicketKeys(db: Reader, since: number): Promise<TicketKeyRow[]> {
  return db
    .selectFrom('ticket_keys')
    .selectAll()
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function insertTicketKey(tx: Tx, row: TicketKeyRow): Promise<void> {
  await tx.insertInto('ticket_keys').values(row).execute()
}

export async function deleteTicketKeys(tx: Tx, until: number): Promise<void> {
  await tx.deleteFrom('ticket_keys').where('created_at', '<=', until).execute()
}
