import { second } from '../kernel/clock.ts'
import { banRule, type Limits, retryJitterSeconds, violationsAllowed, type Window } from './policy.ts'

/**
 * How a key behaves after a 429. A violation is a rejected request of a key that had been warned by an earlier 429. The
 * grace period excuses requests that were in flight when the first 429 was sent, and those that come a moment early.
 * Requests that waited as an earlier 429 asked, but find the new window already full, are excused too.
 */
export interface BanState {
  /** The reset that a 429 asked the key to wait for, and the time from which its requests are violations. */
  readonly warnedUntil: number
  readonly countFrom: number
  /** Until then, requests that waited as asked may still arrive. */
  readonly excusedUntil: number
  /** Counted over ten minutes, starting with the first violation. */
  readonly violations: number
  readonly violationsUntil: number
  readonly bannedSince: number
  readonly bannedUntil: number
  /** How many bans led up to the last one, from 1; 0 before the first. See `banRule.durations`. */
  readonly step: number
}

export const initialBanState: BanState = {
  warnedUntil: 0,
  countFrom: 0,
  excusedUntil: 0,
  violations: 0,
  violationsUntil: 0,
  bannedSince: 0,
  bannedUntil: 0,
  step: 0,
}

export function isBanned(banState: BanState | null, now: number): banState is BanState {
  return banState !== null && now < banState.bannedUntil
}

/** The state after another rejected request of a key that is not banned. */
export function afterRejection(
  before: BanState | null,
  rejected: { by: Window; until: number },
  limits: Limits,
  now: number,
): BanState {
  const banState = before ?? initialBanState
  if (banState.warnedUntil !== rejected.until) return withWarning(banState, rejected, now)
  if (now < banState.countFrom || now >= rejected.until - banRule.grace) return banState
  const isSameWindow = now < banState.violationsUntil
  const violations = isSameWindow ? banState.violations + 1 : 1
  const violationsUntil = isSameWindow ? banState.violationsUntil : now + banRule.within
  if (violations > violationsAllowed(limits)) return withBan(banState, violations, now)
  return { ...banState, violations, violationsUntil }
}

function withWarning(
  banState: BanState,
  { by, until }: { by: Window; until: number },
  now: number,
): BanState {
  const alreadyExcusedUntil = now >= banState.warnedUntil ? banState.excusedUntil : 0
  const latestReturn = until + (retryJitterSeconds[by] + 1) * second
  return {
    ...banState,
    warnedUntil: until,
    countFrom: Math.max(alreadyExcusedUntil, now + banRule.grace),
    excusedUntil: Math.max(alreadyExcusedUntil, latestReturn + banRule.grace),
  }
}

function withBan(banState: BanState, violations: number, now: number): BanState {
  const step = Math.min(currentStep(banState, now) + 1, banRule.durations.length)
  const until = now + (banRule.durations[step - 1] ?? 0)
  return {
    warnedUntil: 0,
    countFrom: 0,
    excusedUntil: until + second + banRule.grace,
    violations,
    violationsUntil: 0,
    bannedSince: now,
    bannedUntil: until,
    step,
  }
}

export function nextBanLength(step: number): number {
  return banRule.durations[Math.min(step, banRule.durations.length - 1)] ?? 0
}

/** The step goes down by one for every day without a ban. */
function currentStep({ step, bannedUntil }: BanState, now: number): number {
  return Math.max(0, step - Math.max(0, Math.floor((now - bannedUntil) / banRule.stepForgottenAfter)))
}

/** True if the state can no longer affect any decision. */
export function isExpired(banState: BanState, now: number): boolean {
  return now >= banState.excusedUntil && now >= banState.violationsUntil && currentStep(banState, now) === 0
}
