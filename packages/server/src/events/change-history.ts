import type { Selectable } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { hour, minute } from '../kernel/clock.ts'

export type ChangeRow = Selectable<Schema['changes']>

/** How long rows are kept. The newest is never deleted: a row goes only when another one comes. */
export const changesKeptFor = hour
/** Less than that, because the clocks of writers differ. */
const longestAbsence = changesKeptFor - 5 * minute

/** How far a reader has come. */
export interface FeedPosition {
  /** The newest row when it read last; null: there was none. */
  last: ChangeRow | null
  readAt: number
}

/**
 * Whether the rows from the last one on, that one included where it is still there, go on from where the reader was.
 * They do not where it was away for longer than rows are kept; nor where the database is not the one that it was
 * reading: one that was restored, or a replica that had not received everything, numbers other changes the same.
 */
export function isContinuous(
  { last, readAt }: FeedPosition,
  first: ChangeRow | undefined,
  now: number,
): boolean {
  if (first === undefined) return last === null
  if (first.seq === last?.seq) return isSame(first, last)
  if (last !== null && now - last.at <= longestAbsence) return false
  // A number that was skipped is mostly a transaction that was rolled back.
  return first.seq === (last?.seq ?? 0) + 1 || now - readAt <= longestAbsence
}

function isSame(one: ChangeRow, other: ChangeRow): boolean {
  return one.kind === other.kind && one.subject === other.subject && one.at === other.at
}
