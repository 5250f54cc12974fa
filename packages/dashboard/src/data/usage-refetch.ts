import type { Usage } from '@masthead/contract/schemas/usage.ts'

const every = 5_000
/** A reset is told in whole milliseconds, and the answer needs a moment to be true. */
const afterReset = 100

/** When usage is to be read again: now and then, and as soon as one of its windows has ended. */
export function usageRefetchInterval(usage: Pick<Usage, 'minute' | 'day'> | undefined, now: number): number {
  if (usage === undefined) return every
  const waits = [usage.minute, usage.day]
    .map(({ resetAt }) => Date.parse(resetAt) - now + afterReset)
    // What should have ended has not, by a clock that differs from ours: no reason to hurry.
    .filter((wait) => wait > afterReset)
  return Math.min(every, ...waits)
}
