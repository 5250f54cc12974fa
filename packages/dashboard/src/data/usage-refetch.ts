import type { Usage } from '@masthead/contract/schemas/usage.ts'

const every = 5_000
/** Refetching right at the reset could still return the old window. */
const afterReset = 100

/** Every five seconds, or sooner if a window ends before that. */
export function usageRefetchInterval(usage: Pick<Usage, 'minute' | 'day'> | undefined, now: number): number {
  if (usage === undefined) return every
  const waits = [usage.minute, usage.day]
    .map(({ resetAt }) => Date.parse(resetAt) - now + afterReset)
    // The server's clock is behind ours, so the window has not ended there yet: no need to hurry.
    .filter((wait) => wait > afterReset)
  return Math.min(every, ...waits)
}
