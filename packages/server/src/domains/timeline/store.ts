import type { TimelineKind } from '@masthead/contract/domains/states.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Selectable, sql, type Updateable } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import type { DomainRow } from '../domain.ts'

export type TimelineRow = Selectable<Schema['domain_timeline']>

/** A timeline belongs to a name and an account, whichever of its projects the name is or was on. */
export type NameOfAccount = Pick<DomainRow, 'account_id' | 'hostname'>

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
  { account_id, hostname }: NameOfAccount,
  before: string | undefined,
  limit: number,
): Promise<TimelineRow[]> {
  return db
    .selectFrom('domain_timeline')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('hostname', '=', hostname)
    .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'event'>))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Removes rows of a name beyond `kept`, from the older half: kinds in `goesFirst` first, then the oldest. */
export async function keepNewest(
  tx: Tx,
  { account_id, hostname }: NameOfAccount,
  { kept, goesFirst }: { kept: number; goesFirst: readonly TimelineKind[] },
): Promise<void> {
  const own = tx
    .selectFrom('domain_timeline')
    .select('id')
    .where('account_id', '=', account_id)
    .where('hostname', '=', hostname)
  const beyond = await own.orderBy('id', 'desc').offset(kept).limit(removedAtOnce).execute()
  if (beyond.length === 0) return
  const newestOfOlderHalf = own
    .orderBy('id', 'desc')
    .offset(kept >> 1)
    .limit(1)
  const going = own
    .where('id', '<=', newestOfOlderHalf)
    .orderBy((e) => e.case().when('kind', 'in', goesFirst).then(0).else(1).end())
    .orderBy('id')
    .limit(beyond.length)
  await tx.deleteFrom('domain_timeline').where('id', 'in', going).execute()
}

/** Marks the rows of a name as removed, or as current again. */
export async function setRemoved(
  tx: Tx,
  { account_id, hostname }: NameOfAccount,
  removed: 0 | 1,
): Promise<void> {
  await tx
    .updateTable('domain_timeline')
    .set({ removed })
    .where('account_id', '=', account_id)
    .where('hostname', '=', hostname)
    .where('removed', '!=', removed)
    .execute()
}

/** Of all names that the account removed, deletes the oldest rows beyond `kept`. */
export async function keepNewestRemoved(tx: Tx, accountId: Id<'account'>, kept: number): Promise<void> {
  const own = tx
    .selectFrom('domain_timeline')
    .select('id')
    .where('account_id', '=', accountId)
    .where('removed', '=', sql.lit(1))
  const newestBeyond = own.orderBy('id', 'desc').offset(kept).limit(1)
  const going = own.where('id', '<=', newestBeyond)
  await tx.deleteFrom('domain_timeline').where('id', 'in', going).execute()
}

/** Deletes up to `most` rows older than a time, and returns how many. */
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

const removedAtOnce = 1_000
