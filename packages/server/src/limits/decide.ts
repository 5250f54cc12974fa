import { afterRejection, type BanState, isBanned } from './ban.ts'
import type { Limits } from './policy.ts'
import { openWindows, type WindowUsage } from './usage.ts'
import { admission, rejectedBy, rejection, type Verdict } from './verdict.ts'

/** What did not change is the same object as before. */
export interface Decision {
  readonly usage: WindowUsage
  readonly conduct: BanState | null
  readonly verdict: Verdict
}

/**
 * One request with a key. `conduct` is null where the key never gave reason to remember anything; `random`, from
 * 0 up to 1, is for the jitter of Retry-After alone.
 */
export function decide(
  usage: WindowUsage,
  conduct: BanState | null,
  limits: Limits,
  now: number,
  random: number,
): Decision {
  const open = openWindows(usage, now)
  if (!isBanned(conduct, now) && haveRoom(open, limits)) return admit(open, conduct, limits, now)
  return reject(usage, conduct, limits, now, random)
}

/** The whole decision for those who are never banned: addresses, people and the operator. */
export function decideWindows(usage: WindowUsage, limits: Limits, now: number, random: number): Decision {
  const open = openWindows(usage, now)
  if (haveRoom(open, limits)) return admit(open, null, limits, now)
  return { usage, conduct: null, verdict: rejection(open, null, limits, now, random) }
}

/** Both windows are looked at, then both are charged or neither. */
function haveRoom(open: WindowUsage, limits: Limits): boolean {
  return open.minuteUsed < limits.perMinute && (limits.perDay === null || open.dayUsed < limits.perDay)
}

function admit(open: WindowUsage, conduct: BanState | null, limits: Limits, now: number): Decision {
  const usage = {
    minuteUsed: open.minuteUsed + 1,
    minuteResetAt: open.minuteResetAt,
    dayUsed: open.dayUsed + 1,
    dayResetAt: open.dayResetAt,
  }
  return { usage, conduct, verdict: admission(usage, limits, now) }
}

function reject(
  usage: WindowUsage,
  conduct: BanState | null,
  limits: Limits,
  now: number,
  random: number,
): Decision {
  const open = openWindows(usage, now)
  if (isBanned(conduct, now)) {
    return { usage, conduct, verdict: rejection(open, conduct, limits, now, random) }
  }
  const by = rejectedBy(open, limits)
  const until = by === 'minute' ? open.minuteResetAt : open.dayResetAt
  const after = afterRejection(conduct, { by, until }, limits, now)
  const banStarted = isBanned(after, now)
  return { usage, conduct: after, verdict: rejection(open, after, limits, now, random, banStarted) }
}
