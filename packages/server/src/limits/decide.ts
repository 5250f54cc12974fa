import { afterRejection, type BanState, isBanned } from './ban.ts'
import type { Limits } from './policy.ts'
import { openWindows, type WindowUsage } from './usage.ts'
import { admission, rejectedBy, rejection, type Verdict } from './verdict.ts'

/** Parts that did not change are the same object as before. */
export interface Decision {
  readonly usage: WindowUsage
  readonly banState: BanState | null
  readonly verdict: Verdict
}

/**
 * Decides one request with a key. `banState` is null for a key without violations. `random`, from 0 up to 1, is only
 * used for the jitter of Retry-After.
 */
export function decide(
  usage: WindowUsage,
  banState: BanState | null,
  limits: Limits,
  now: number,
  random: number,
): Decision {
  const open = openWindows(usage, now)
  if (!isBanned(banState, now) && hasRoom(open, limits)) return admit(open, banState, limits, now)
  return reject(usage, banState, limits, now, random)
}

/** Decides a request of a caller that is never banned: an address, a person or the operator. */
export function decideWindows(usage: WindowUsage, limits: Limits, now: number, random: number): Decision {
  const open = openWindows(usage, now)
  if (hasRoom(open, limits)) return admit(open, null, limits, now)
  return { usage, banState: null, verdict: rejection(open, null, limits, now, random) }
}

/** Checks both windows before either is charged. */
function hasRoom(open: WindowUsage, limits: Limits): boolean {
  return open.minuteUsed < limits.perMinute && (limits.perDay === null || open.dayUsed < limits.perDay)
}

function admit(open: WindowUsage, banState: BanState | null, limits: Limits, now: number): Decision {
  const usage = {
    minuteUsed: open.minuteUsed + 1,
    minuteResetAt: open.minuteResetAt,
    dayUsed: open.dayUsed + 1,
    dayResetAt: open.dayResetAt,
  }
  return { usage, banState, verdict: admission(usage, limits, now) }
}

function reject(
  usage: WindowUsage,
  banState: BanState | null,
  limits: Limits,
  now: number,
  random: number,
): Decision {
  const open = openWindows(usage, now)
  if (isBanned(banState, now)) {
    return { usage, banState, verdict: rejection(open, banState, limits, now, random) }
  }
  const by = rejectedBy(open, limits)
  const until = by === 'minute' ? open.minuteResetAt : open.dayResetAt
  const after = afterRejection(banState, { by, until }, limits, now)
  const banStarted = isBanned(after, now)
  return { usage, banState: after, verdict: rejection(open, after, limits, now, random, banStarted) }
}
