import { hour, minute, second } from '../../kernel/clock.ts'
import type { Order } from '../acme/order.ts'

/** If the CA asks us to wait longer than this, we release the job instead of sleeping. */
const longestPause = 30 * second
/** Some CAs ask for days. By then the order may be finished, or over. */
const longestRelease = hour
/** An attempt that takes longer releases the job too, whether it waited for orders or for slow responses. */
const longestAttempt = 2 * minute
const pauseOfSlowCa = minute
/** Most CAs finish almost immediately, some take seconds: polling starts fast and slows down. */
export const firstPause = 5
const slowestPause = 2 * second
const growth = 1.7

export type NextPoll =
  | { kind: 'sleep'; duration: number; nextPause: number }
  /** Too far off to wait for: release the job until then. */
  | { kind: 'release'; until: number }

export interface PollingTimes {
  now: number
  /** How long the attempt has taken so far. */
  elapsed: number
}

export function nextPoll(
  pause: number,
  { retryAt, expires }: Pick<Order, 'retryAt' | 'expires'>,
  { now, elapsed }: PollingTimes,
): NextPoll {
  const duration = Math.max((retryAt ?? now) - now, pause)
  if (duration > longestPause) {
    const latest = Math.min(now + longestRelease, expires ?? Number.POSITIVE_INFINITY)
    return { kind: 'release', until: Math.min(now + duration, latest) }
  }
  if (elapsed + duration > longestAttempt) return { kind: 'release', until: now + pauseOfSlowCa }
  return { kind: 'sleep', duration, nextPause: Math.min(pause * growth, slowestPause) }
}
