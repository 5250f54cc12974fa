/** Milliseconds since 1970. Passed in, so that tests can control it. */
export interface Clock {
  (): number
  /** The same, but asks the clock that nodes share, if there is one. */
  exact?: () => Promise<number>
}

/** For leases: another node must not see them end before we do. */
export async function exactTime(now: Clock): Promise<number> {
  return now.exact === undefined ? now() : now.exact()
}

export const systemClock: Clock = () => Date.now()

/** Returns how far the clock was set back since the last call, in comparison with one that nobody sets. */
export function watchClock(now: Clock): () => number {
  let offset = now() - performance.now()
  return () => {
    const before = offset
    offset = now() - performance.now()
    return Math.max(Math.round(before - offset), 0)
  }
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** How long to wait after so many failures in a row. The last wait repeats. */
export function waitAfter(failures: number, waits: readonly number[]): number {
  return waits[Math.min(Math.max(failures, 1), waits.length) - 1] ?? 0
}

const maxKnownTimes = 10_000
const knownTimes = new Map<number, string>()

/** Lists repeat the same times with every request, and formatting them is a large part of answering. */
export function isoTime(at: number): string {
  const known = knownTimes.get(at)
  if (known !== undefined) return known
  const text = new Date(at).toISOString()
  if (knownTimes.size >= maxKnownTimes) knownTimes.clear()
  knownTimes.set(at, text)
  return text
}

export function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at)
}
