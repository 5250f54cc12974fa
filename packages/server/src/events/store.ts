import type { Id } from '@masthead/contract/ids.ts'
import type { Insertable, Selectable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type EventRow = Selectable<Schema['events']>

export async function insertEvent(tx: Tx, row: Insertable<Schema['events']>): Promise<void> {
  await tx.insertInto('events').values(row).execute()
}

export function eventsBefore(
  db: Reader,
  accountId: Id<'account'>,
  before: string | undefined,
  limit: number,
): Promise<EventRow[]> {
  return db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'event'>))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
