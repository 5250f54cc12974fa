import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { type Clock, second } from '../kernel/clock.ts'
import { formatDuration } from '../kernel/english.ts'
import { ok, problem, warning } from './check.ts'

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
