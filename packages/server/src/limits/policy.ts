import { day, hour, minute, second } from '../kernel/clock.ts'

/** What a caller may do. `perDay: null` is a caller without a day window. */
export interface Limits {
  perMinute: number
  perDay: number | null
}

export type Window = 'minute' | 'day'

export const windowLength: Record<Window, number> = { minute, day }

/** Spreads the clients that wait for the same reset: up to so many seconds are added to Retry-After. */
export const retryJitterSeconds: Record<Window, number> = { minute: 3, day: 300 }

/** Callers without a key, by address. */
export const addressLimits: Limits = { perMinute: 60, perDay: null }
export const operatorLimits: Limits = { perMinute: 600, perDay: null }
/** A person in the dashboard, whatever the number of their sessions. */
export const personLimits = { perMinute: 600, perDay: 10_000 } as const satisfies Limits
/** All people of an account together: twice a person, so that one alone cannot keep the others out. */
const leastForPeople = { perMinute: 1_200, perDay: 20_000 } as const

/** What the people of an account have together in the dashboard, by what its keys have. */
export function peopleLimits({ perMinute, perDay }: Limits): Limits {
  return {
    perMinute: Math.max(perMinute, leastForPeople.perMinute),
    perDay: Math.max(perDay ?? 0, leastForPeople.perDay),
  }
}

/** When a key that goes on after a 429 is banned, and for how long: the first time, the second, … */
export const banRule = {
  violationsAtLeast: 100,
  violationsPerMinuteLimit: 2,
  within: 10 * minute,
  grace: 2 * second,
  ladder: [5 * minute, 15 * minute, hour, 6 * hour, day],
  stepForgottenAfter: day,
} as const

export function violationsAllowed({ perMinute }: Limits): number {
  return Math.max(banRule.violationsAtLeast, banRule.violationsPerMinuteLimit * perMinute)
}
