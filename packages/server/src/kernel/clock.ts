/** Milliseconds since 1970. Passed in, so that tests can control it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

export function isoTime(at: number): string {
  return new Date(at).toISOString()
}

export function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at)
}
