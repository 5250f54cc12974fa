import { hour, minute } from '../clock.ts'

const waits = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour] as const

/** How long to wait after so many attempts in a row in which some file could not be compressed. */
export function encodeBackoff(failures: number): number {
  return waits[Math.min(failures, waits.length) - 1] ?? waits[0]
}
