import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import type { Context } from '../database/database.ts'
import { type Clock, second } from '../kernel/clock.ts'
import { formatDuration } from '../kernel/english.ts'
import { allOk, ok, problem, skipped, warning } from './check.ts'
import { withClient } from './postgres.ts'
import { withRedis } from './redis.ts'

/** Leases last 30 seconds, so clocks must agree far better than that. */
const tolerated = 2 * second
const dangerous = 10 * second

/** How far another clock is ahead of ours, in milliseconds; the half of the way there and back counts as on its way. */
export async function clockOffset(now: Clock, ask: () => Promise<number>): Promise<number> {
  const before = now()
  const there = await ask()
  const after = now()
  // Anything between the question and the answer may be right.
  if (there >= before && there <= after) return 0
  return there - (before + after) / 2
}

export function judgeClock(whose: string, offsetMs: number): DoctorFinding {
  const off = Math.abs(offsetMs)
  if (off <= tolerated) return ok(`This clock and ${whose} agree.`)
  const direction = offsetMs > 0 ? 'behind' : 'ahead of'
  const message = `The clock of this machine is ${formatDuration(off / second)} ${direction} ${whose}.`
  const fix = 'Synchronize the clocks of all machines with NTP (chrony or systemd-timesyncd).'
  return off > dangerous ? problem(message, fix) : warning(message, fix)
}

/** Compares the clock of this machine with those of the servers it uses. */
export async function checkClocks(
  redisUrl: string | null,
  context: Context | null,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const asked: Promise<DoctorFinding[]>[] = []
  if (context !== null && context.database.dialect === 'postgres') {
    const { database } = context
    const ask = () =>
      withClient(database, signal, (client) =>
        clockOffset(Date.now, async () => {
          const { rows } = await client.query<{ now: number }>(
            'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
          )
          return rows[0]?.now ?? Number.NaN
        }),
      )
    asked.push(
      ask().then(
        (offset) => [judgeClock('the one of PostgreSQL', offset)],
        () => [],
      ),
    )
  }
  if (redisUrl !== null) {
    const ask = () =>
      withRedis(redisUrl, signal, (redis) =>
        clockOffset(Date.now, async () => {
          const [seconds = 0, micros = 0] = (await redis.time()).map(Number)
          return seconds * 1000 + micros / 1000
        }),
      )
    asked.push(
      ask().then(
        (offset) => [judgeClock('the one of Redis', offset)],
        () => [],
      ),
    )
  }
  const findings = (await Promise.all(asked)).flat()
  if (findings.length === 0) return [skipped('There is no other clock to compare with.')]
  return allOk(findings, 'The clocks of this machine and of the servers it uses agree.')
}
