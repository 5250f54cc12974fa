import { second } from '../../kernel/clock.ts'

export interface Ramp {
  first: number
  /** How much concurrency grows with each finished attempt. */
  perFinished: number
  /** Also grows with time, so that slow names don't hold up the others forever. */
  doublesEvery: number
}

/** A period in which there was always a job to run. */
export interface Burst {
  since: number
  ramp: Ramp
  /** Finished attempts. */
  finished: number
}

/**
 * Concurrency grows with the number of finished attempts. A killed process may lose the order of every name the CA is
 * validating at that moment; this keeps the loss small compared to what was issued, on any machine. After a crash,
 * which may not be the last, we run one job at a time and pause between them for longer than each took.
 */
export const ramps = {
  usual: { first: 2, perFinished: 1, doublesEvery: 10 * second },
  afterCrash: { first: 1 / 4, perFinished: 1 / 16, doublesEvery: 30 * second },
} as const satisfies Record<string, Ramp>

/** A slow CA must not hold up other names for long. */
const longestPause = 3 * second

/** Less than 1 means one at a time, with pauses. */
export function concurrencyOf({ since, ramp, finished }: Burst, now: number, most: number): number {
  const doublings = Math.floor(Math.max(now - since, 0) / ramp.doublesEvery)
  return Math.min(ramp.first * 2 ** doublings + finished * ramp.perFinished, most)
}

/**
 * An attempt that takes longer waits for a CA that may never finish. It does not count, or it would hold up the names of
 * all other accounts for as long as concurrency is low.
 */
const slowAfter = 10 * second

/** How many attempts may run, if some have been running for so long. */
export function slotsFor(concurrency: number, running: readonly number[], most: number): number {
  const slow = running.filter((took) => took >= slowAfter).length
  return Math.min(Math.max(Math.floor(concurrency), 1) + slow, most)
}

/** How long until the next of them is slow. */
export function untilSlow(running: readonly number[]): number {
  return Math.min(...running.filter((took) => took < slowAfter).map((took) => slowAfter - took))
}

/** How long until concurrency grows even if no attempt finishes. */
export function untilMore({ since, ramp: { doublesEvery } }: Burst, now: number): number {
  return doublesEvery - (Math.max(now - since, 0) % doublesEvery)
}

/** How long to pause after an attempt that took this long. */
export function pauseAfter(took: number, concurrency: number): number {
  return concurrency >= 1 ? 0 : Math.min(Math.max(took, 0) * (1 / concurrency - 1), longestPause)
}
