import { minute, second } from '../clock.ts'

/** A process that is killed once is back at once; one that cannot run costs a start every half minute. */
const pauses = [0.1, 0.5, 1, 2, 5, 10, 30].map((seconds) => seconds * second)
/** Who lived this long had no trouble with starting. */
const steadyAfter = minute

/** How often in a row a process ended early, this time counted. */
export function earlyEnds(before: number, lived: number): number {
  return lived < steadyAfter ? before + 1 : 1
}

export function restartPause(early: number): number {
  return pauses[Math.min(Math.max(early, 1), pauses.length) - 1] ?? steadyAfter
}
