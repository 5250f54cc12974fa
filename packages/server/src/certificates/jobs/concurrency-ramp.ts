import { second } from '../../kernel/clock.ts'

export interface Ramp {
  first: number
  /** By how much it grows with each attempt that has ended. */
  perEnded: number
  /** Slow names do not make the others wait for ever. */
  doublesEvery: number
}

/** A stretch of time in which there is always something to get. */
export interface Burst {
  since: number
  ramp: Ramp
  /** How many attempts have ended. */
  ended: number
}

/**
 * How many certificates are got at once, on average, grows with how many were got: a process that is killed may cost
 * the order of each name that the CA is just looking at, which is to be a small part of what it got, on any machine.
 * After a crash, which may not be the last, it is one at a time with rests that are longer than it took.
 */
export const ramps = {
  usual: { first: 2, perEnded: 1, doublesEvery: 10 * second },
  afterCrash: { first: 1 / 4, perEnded: 1 / 16, doublesEvery: 30 * second },
} as const satisfies Record<string, Ramp>

/** A slow CA does not make the others wait for long. */
const longestPause = 3 * second

/** Less than one: one at a time, with rests. */
export function concurrencyOf({ since, ramp, ended }: Burst, now: number, most: number): number {
  const doublings = Math.floor(Math.max(now - since, 0) / ramp.doublesEvery)
  return Math.min(ramp.first * 2 ** doublings + ended * ramp.perEnded, most)
}

/** How long until there may be more at once, though none ends. */
export function untilMore({ since, ramp: { doublesEvery } }: Burst, now: number): number {
  return doublesEvery - (Math.max(now - since, 0) % doublesEvery)
}

/** How long nothing is got after an attempt that took so long. */
export function pauseAfter(took: number, concurrency: number): number {
  return concurrency >= 1 ? 0 : Math.min(Math.max(took, 0) * (1 / concurrency - 1), longestPause)
}
