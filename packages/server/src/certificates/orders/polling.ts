import { hour, minute, second } from '../../kernel/clock.ts'
import type { Order } from '../acme/order.ts'

/** If the CA asks us to wait longer than this, we release the job instead of sleeping. */
const longestPause = 30 * second
/** Some CAs ask for days. By then the order may be finished, or over. */
const longestRelease = hour
/** After waiting this long in total we release the job too. */
const longestWait = 2 * minute
const pauseOfSlowCa = minute
/** Most CAs finish almost immediately, some take seconds: polling starts fast and slows down. */
const firstPause = 5
const slowestPause = 2 * second
const growth = 1.7

/** How long this attempt has waited for the CA, and the next pause between two polls. */
export interface Polling {
  waited: number
  pause: number
}

export const newPolling: Polling = { waited: 0, pause: firstPause }

/** Polls fast again when the CA begins something new; the time already waited still counts. */
export function pollFaster({ waited }: Polling): Polling {
  return { waited, pause: firstPause }
}

export type NextPoll =
  | { kind: 'sleep'; duration: number; polling: Polling }
  /** Too far off to wait for: release the job until then. */
  | { kind: 'release'; until: number }

export function nextPoll(
  polling: Polling,
  { retryAt, expires }: Pick<Order, 'retryAt' | 'expires'>,
  now: number,
): NextPoll {
  const duration = Math.max((retryAt ?? now) - now, polling.pause)
  const waited = polling.waited + duration
  if (duration > longestPause) {
    const latest = Math.min(now + longestRelease, expires ?? Number.POSITIVE_INFINITY)
    return { kind: 'release', until: Math.min(now + duration, latest) }
  }
  if (waited > longestWait) return { kind: 'release', until: now + pauseOfSlowCa }
  return {
    kind: 'sleep',
    duration,
    polling: { waited, pause: Math.min(polling.pause * growth, slowestPause) },
  }
}
