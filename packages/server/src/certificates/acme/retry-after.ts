import { day, second } from '../../clock.ts'

const longest = 31 * day

/** When a Retry-After header (seconds, or a date) lets us ask again; null without one that can be read. */
export function retryAfter(header: string | null, now: number): number | null {
  if (header === null) return null
  const text = header.trim()
  const at = /^\d{1,12}$/.test(text) ? now + Number(text) * second : Date.parse(text)
  return Number.isNaN(at) ? null : Math.min(Math.max(at, now), now + longest)
}
