import { day, hour, minute, second } from '../kernel/clock.ts'

/** `perDay: null`: no daily window. */
export interface Limits {
  perMinute: number
  perDay: number | null
}

export type Window = 'minute' | 'day'

export const windowLength: Record<Window, number> = { minute, day }

/** Up to this many seconds are added to Retry-After, so that waiting clients do not return all at once. */
export const retryJitterSeconds: Record<Window, number> = { minute: 3, day: 300 }

/** For callers without a key, by address. */
export const addressLimits: Limits = { perMinute: 60, perDay: null }
export const operatorLimits: Limits = { perMinute: 600, perDay: null }
/** For a person in the dashboard, across all their sessions. */
export const personLimits = { perMinute: 600, perDay: 10_000 } as const satisfies Limits
/**
 * For all members of an account together. Twice the limit of a person, so that one alone cannot lock out the others.
 */
const minPeopleLimits = { perMinute: 1_200, perDay: 20_000 } as const

/** The dashboard limits of all members of an account, given the limits of its keys. */
export function peopleLimits({ perMinute, perDay }: Limits): Limits {
  return {
    perMinute: Math.max(perMinute, minPeopleLimits.perMinute),
    perDay: Math.max(perDay ?? 0, minPeopleLimits.perDay),
  }
}

/** When a key that ignores 429s is banned, and for how long: the first time, the second, and so on. */
export const banRule = {
  violationsAtLeast: 100,
  violationsPerMinuteLimit: 2,
  within: 10 * minute,
  grace: 2 * second,
  durations: [5 * minute, 15 * minute, hour, 6 * hour, day],
  stepForgottenAfter: day,
} as const

export function violationsAllowed({ perMinute }: Limits): number {
  return Math.max(banRule.violationsAtLeast, banRule.violationsPerMinuteLimit * perMinute)
}
