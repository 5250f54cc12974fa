import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import { day, hour, minute, second } from '../../kernel/clock.ts'

/** When a delivery is tried again, when an endpoint is left alone, and when we give up. */
export interface Schedule {
  /** The pause after the first, second, … failed attempt of a delivery. The last one repeats. */
  pauses: readonly number[]
  /** After this many failures in a row the circuit breaker opens: one attempt at a time, with these pauses. */
  failuresUntilPaused: number
  breakerPauses: readonly number[]
  giveUpAfter: number
  disableAfter: number
}

/** Spans the 24 hours after an event. */
export const schedule: Schedule = {
  pauses: [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour],
  failuresUntilPaused: 5,
  breakerPauses: [minute, 2 * minute, 5 * minute, 10 * minute],
  giveUpAfter: webhookLimits.hoursTried * hour,
  disableAfter: webhookLimits.daysUntilDisabled * day,
}

/** An endpoint may ask for a longer pause, but not for one that lasts. */
const longestRetryAfter = hour

/** Up to a fifth later, so that endpoints that fail together are not tried together. */
const jitter = 0.2

export function pauseAfter(
  { pauses }: Pick<Schedule, 'pauses'>,
  attempts: number,
  { retryAfter = null, random = Math.random() }: { retryAfter?: number | null; random?: number } = {},
): number {
  const pause = pauses[Math.min(attempts, pauses.length) - 1] ?? 0
  return Math.max(Math.round(pause * (1 + jitter * random)), Math.min(retryAfter ?? 0, longestRetryAfter))
}

/** How long the whole endpoint is left alone after this many failures in a row. */
export function breakerPause(schedule: Schedule, failures: number): number {
  const over = failures - schedule.failuresUntilPaused
  const { breakerPauses } = schedule
  return over < 0 ? 0 : (breakerPauses[Math.min(over, breakerPauses.length - 1)] ?? 0)
}
