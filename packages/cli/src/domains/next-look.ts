import type { Domain } from '@masthead/contract/schemas/domain.ts'

const second = 1000
const afterTheirs = 500
const shortest = second
const longestWhileLate = 60 * second

/**
 * When to ask again: a moment after the server's own next look. Before that only a look that somebody asked for can
 * have changed something, which is asked for the less often the rarer the looks have become: a watch that is left
 * alone must not use up the requests of a day.
 */
export function nextLookMs({ nextCheckAt, lastCheck, createdAt }: Domain, now: number): number {
  const lastLook = Date.parse(lastCheck?.at ?? createdAt)
  // Not by itself, or not yet known when.
  if (nextCheckAt === null) return between(5 * second, (now - lastLook) / 4, longestWhileLate)
  const left = Date.parse(nextCheckAt) - now + afterTheirs
  // It looks just now, or does not come to it.
  if (left <= 0) return between(shortest, -left / 4, longestWhileLate)
  const rarest = between(15 * second, (Date.parse(nextCheckAt) - lastLook) / 4, 300 * second)
  return between(shortest, left, rarest)
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
