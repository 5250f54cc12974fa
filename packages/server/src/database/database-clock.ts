import { sql } from 'kysely'
import { type Clock, second } from '../kernel/clock.ts'
import type { Database } from './database.ts'

/** How far the database's clock is ahead of our steady one, in milliseconds: between these, when we measured it. */
export interface ClockOffset {
  low: number
  high: number
  measuredAt: number
}

/** Clocks of two machines run apart by less than this. */
const maxDrift = 0.001

/** Combines what we knew with a new measurement. A slow measurement says little, and does no harm. */
export function combineOffsets(known: ClockOffset, measured: ClockOffset): ClockOffset {
  const drift = Math.abs(measured.measuredAt - known.measuredAt) * maxDrift
  const low = Math.max(known.low - drift, measured.low)
  const high = Math.min(known.high + drift, measured.high)
  // If they exclude each other, the database's clock was set, or another server took over.
  return low <= high ? { low, high, measuredAt: measured.measuredAt } : measured
}

async function measureOffset({ read }: Pick<Database, 'read'>): Promise<ClockOffset> {
  const startedAt = performance.now()
  const { rows } = await sql<{ at: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as at`.execute(read)
  const measuredAt = performance.now()
  const at = rows[0]?.at ?? Number.NaN
  return { low: at - measuredAt, high: at - startedAt, measuredAt }
}

const measureEvery = 10 * second
/** The first query of a connection is slow. */
const firstMeasurements = 3

export interface FollowingClock {
  now: Clock
  close(): void
}

/**
 * The clock of a PostgreSQL server, the same for all its nodes, whatever the clocks of their machines say. Between
 * measurements, and while the database is down, it advances with this process's steady clock.
 */
export async function followDatabaseClock(database: Pick<Database, 'read'>): Promise<FollowingClock> {
  let offset = await measureOffset(database)
  async function update(): Promise<void> {
    const measured = await measureOffset(database)
    offset = combineOffsets(offset, measured)
  }
  for (let count = 1; count < firstMeasurements; count++) await update()
  const now = () => Math.floor(performance.now() + (offset.low + offset.high) / 2)
  // A database that is down is reported by those who need it.
  const timer = setInterval(() => void update().catch(() => {}), measureEvery).unref()
  return {
    now: Object.assign(now, { exact: () => update().then(now) }),
    close: () => clearInterval(timer),
  }
}
