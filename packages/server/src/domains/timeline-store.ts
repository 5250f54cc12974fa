import type { Id } from '@masthead/contract/ids.ts'
import type { Selectable, Updateable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type TimelineRow = Selectable<Schema['domain_timeline']>

export async function insertTimelineRow(tx: Tx, row: TimelineRow): Promise<void> {
  await tx.insertInto('domain_timeline').values(row).execute()
}

export async function updateTimelineRow(
  tx: Tx,
  id: Id<'event'>,
  change: Updateable<Schema['domain_timeline']>,
): Promise<void> {
  await tx.updateTable('domain_timeline').set(change).where('id', '=', id).execute()
}

/** Newest first. */
export function timelineBefore(
  db: Reader,
  domainId: Id<'domain'>,
  before: string | undefined,
  limit: number,
): Promise<TimelineRow[]> {
  return db
    .selectFrom('domain_timeline')
    .selectAll()
    .where('domain_id', '=', domainId)
    .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'event'>))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Removes all rows of a domain but the newest. */
export async function keepNewest(tx: Tx, domainId: Id<'domain'>, kept: number): Promise<void> {
  await tx
    .deleteFrom('domain_timeline')
    .where('domain_id', '=', domainId)
    .where('id', '<=', (e) =>
      e
        .selectFrom('domain_timeline as newer')
        .select('newer.id')
        .where('newer.domain_id', '=', domainId)
        .orderBy('newer.id', 'desc')
        .offset(kept)
        .limit(1),
    )
    .execute()
}

/** Removes some of the rows that are older than a time; tells how many. */
export async function deleteTimelineBefore(tx: Tx, before: number, most: number): Promise<number> {
  const old = tx
    .selectFrom('domain_timeline')
    .select('id')
    .where('last_at', '<', before)
    .orderBy('last_at')
    .limit(most)
  const deleted = await tx.deleteFrom('domain_timeline').where('id', 'in', old).returning('id').execute()
  return deleted.length
}
