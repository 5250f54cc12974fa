import type { Selectable } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { hour, minute } from '../kernel/clock.ts'

export type ChangeRow = Selectable<Schema['changes']>

/** How long we keep rows. The newest row always stays: rows are only deleted when another is inserted. */
export const changesKeptFor = hour
/** Shorter, because clocks differ. */
const maxGap = changesKeptFor - 5 * minute

/**
 * Whether the rows from `last` on, including it if it still exists, continue from where the reader was. `last` is the
 * newest row at the last read; null: there was none. False if the reader was away for longer than we keep rows, or if
 * this is a different database: a restored backup, or a replica that had not received everything, reuses sequence
 * numbers for other changes.
 */
export function isContinuous(
  last: ChangeRow | null,
  first: ChangeRow | undefined,
  { now, away }: { now: number; away: number },
): boolean {
  if (first === undefined) return last === null
  if (first.seq === last?.seq) return isSame(first, last)
  if (last !== null && now - last.at <= maxGap) return false
  // A gap is usually a transaction that was rolled back.
  return first.seq === (last?.seq ?? 0) + 1 || away <= maxGap
}

function isSame(one: ChangeRow, other: ChangeRow): boolean {
  return one.kind === other.kind && one.subject === other.subject && one.at === other.at
}
