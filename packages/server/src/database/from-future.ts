import { type RawBuilder, sql } from 'kysely'
import { day, minute } from '../kernel/clock.ts'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

/** A time that a job waits for, and how far ahead it is at most. */
interface Wait {
  table: keyof Schema
  column: string
  longest: number
  /** Of these rows only. */
  of?: RawBuilder<unknown>
}

const waits: readonly Wait[] = [
  { table: 'domains', column: 'next_check_at', longest: 2 * day },
  { table: 'domain_proofs', column: 'next_check_at', longest: 2 * day },
  {
    table: 'certificate_jobs',
    column: 'next_attempt_at',
    longest: 2 * day,
    of: sql`(problem_kind is null or problem_kind <> 'budget')`,
  },
  // A CA may have limits for a month.
  {
    table: 'certificate_jobs',
    column: 'next_attempt_at',
    longest: 32 * day,
    of: sql`problem_kind = 'budget'`,
  },
  { table: 'webhook_queues', column: 'due_at', longest: day },
  { table: 'webhooks', column: 'paused_until', longest: day },
  { table: 'notice_queues', column: 'due_at', longest: day },
]

/** Clocks are corrected by less than this all the time. */
const noticeable = minute

/**
 * Corrects times from before the clock was set back, whenever it is called. What waits for longer than it was set back
 * by was put off before that, most likely. If nobody saw it, because the process was not running, only what waits for
 * longer than it ever should is known to be from then, and due. `setBackBy`: since its last call.
 */
export function createRetryFromFuture(
  database: Database,
  setBackBy: () => number = () => 0,
): (now: number) => Promise<void> {
  /** What the database failed to correct is kept for the next call. */
  const uncorrected = new Map<Wait, number>()
  return async (now) => {
    const step = setBackBy()
    for (const wait of waits) uncorrected.set(wait, step + (uncorrected.get(wait) ?? 0))
    for (const [wait, by] of uncorrected) {
      const earlier = sql`${sql.ref(wait.column)} - ${by}`
      if (by > noticeable) await setTimesAfter(now + by, earlier, wait, database)
      uncorrected.delete(wait)
      await setTimesAfter(now + wait.longest, sql`${now}`, wait, database)
    }
  }
}

async function setTimesAfter(
  latest: number,
  time: RawBuilder<unknown>,
  { table, column, of = sql`true` }: Wait,
  { read, write }: Database,
): Promise<void> {
  const isLater = sql`${sql.ref(column)} > ${latest} and ${of}`
  const first = await sql`select 1 from ${sql.table(table)} where ${isLater} limit 1`.execute(read)
  if (first.rows.length === 0) return
  await write((tx) =>
    sql`update ${sql.table(table)} set ${sql.ref(column)} = ${time} where ${isLater}`.execute(tx),
  )
}
