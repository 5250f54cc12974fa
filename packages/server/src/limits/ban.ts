import { second } from '../kernel/clock.ts'
import { banRule, type Limits, retryJitterSeconds, violationsAllowed, type Window } from './policy.ts'

/**
 * How a key behaves after a 429. A violation is a rejected request of a key that was told to wait, and could have
 * known: requests on their way when the first 429 was sent, and those that come a moment early, are excused by the
 * grace. So are those that waited as an earlier window told them and found the new one full already.
 */
export interface BanState {
  /** The reset that the key was told to wait for, and from when on its requests are violations. */
  readonly toldToWaitFor: number
  readonly countFrom: number
  /** Until then requests may arrive that have waited for it as told. */
  readonly excusedUntil: number
  /** The ten minutes start with the first violation. */
  readonly violations: number
  readonly violationsUntil: number
  readonly bannedSince: number
  readonly bannedUntil: number
  /** The rung of the ladder that the last ban stood on, from 1; 0 before the first. */
  readonly step: number
}

export const initialBanState: BanState = {
  toldToWaitFor: 0,
  countFrom: 0,
  excusedUntil: 0,
  violations: 0,
  violationsUntil: 0,
  bannedSince: 0,
  bannedUntil: 0,
  step: 0,
}

export function isBanned(conduct: BanState | null, now: number): conduct is BanState {
  return conduct !== null && now < conduct.bannedUntil
}

/** The conduct after one more request of a key that is not banned was rejected. */
export function afterRejection(
  before: BanState | null,
  rejected: { by: Window; until: number },
  limits: Limits,
  now: number,
): BanState {
  const conduct = before ?? initialBanState
  if (conduct.toldToWaitFor !== rejected.until) return withWarning(conduct, rejected, now)
  if (now < conduct.countFrom || now >= rejected.until - banRule.grace) return conduct
  const goesOn = now < conduct.violationsUntil
  const violations = goesOn ? conduct.violations + 1 : 1
  const violationsUntil = goesOn ? conduct.violationsUntil : now + banRule.within
  if (violations > violationsAllowed(limits)) return withBan(conduct, violations, now)
  return { ...conduct, violations, violationsUntil }
}

function withWarning(conduct: BanState, { by, until }: { by: Window; until: number }, now: number): BanState {
  const alreadyExcusedUntil = now >= conduct.toldToWaitFor ? conduct.excusedUntil : 0
  const latestReturn = until + (retryJitterSeconds[by] + 1) * second
  return {
    ...conduct,
    toldToWaitFor: until,
    countFrom: Math.max(alreadyExcusedUntil, now + banRule.grace),
    excusedUntil: Math.max(alreadyExcusedUntil, latestReturn + banRule.grace),
  }
}

function withBan(conduct: BanState, violations: number, now: number): BanState {
  const step = Math.min(currentStep(conduct, now) + 1, banRule.ladder.length)
  const until = now + (banRule.ladder[step - 1] ?? 0)
  return {
    toldToWaitFor: 0,
    countFrom: 0,
    excusedUntil: until + second + banRule.grace,
    violations,
    violationsUntil: 0,
    bannedSince: now,
    bannedUntil: until,
    step,
  }
}

/** How long the next ban would last, were it to come now. */
export function nextBanLength(step: number): number {
  return banRule.ladder[Math.min(step, banRule.ladder.length - 1)] ?? 0
}

/** Every day without a ban takes one step back. */
export function currentStep({ step, bannedUntil }: BanState, now: number): number {
  return Math.max(0, step - Math.max(0, Math.floor((now - bannedUntil) / banRule.stepForgottenAfter)))
}

/** Whether nothing of it can matter any more. */
export function isExpired(conduct: BanState, now: number): boolean {
  return now >= conduct.excusedUntil && now >= conduct.violationsUntil && currentStep(conduct, now) === 0
}
