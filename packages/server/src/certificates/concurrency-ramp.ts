import { second } from '../clock.ts'

export interface Ramp {
  first: number
  doublesEvery: number
}

/**
 * How many certificates are got at once grows while there are more to get. A process that is killed may cost the order
 * of each name that the CA is just looking at: few at first, and after a crash, which may not be the last, one.
 */
export const ramps = {
  usual: { first: 2, doublesEvery: second },
  afterCrash: { first: 1, doublesEvery: 5 * second },
} as const satisfies Record<string, Ramp>

export function concurrencyAfter(elapsed: number, { first, doublesEvery }: Ramp, most: number): number {
  return Math.min(first * 2 ** Math.floor(Math.max(elapsed, 0) / doublesEvery), most)
}

/** How long until there may be more at once. */
export function untilMore(elapsed: number, { doublesEvery }: Ramp): number {
  return doublesEvery - (Math.max(elapsed, 0) % doublesEvery)
}
