import { second } from '../kernel/clock.ts'
import { windowLength } from './policy.ts'
import { secondsUntil, type Verdict, type WindowView } from './verdict.ts'

/**
 * Rate limit headers in both common formats: X-RateLimit-* with the reset as a Unix time, and draft-ietf-httpapi-
 * ratelimit-headers-11 with both windows and seconds from now.
 */
export function limitHeaders(verdict: Verdict): [name: string, value: string][] {
  const { shown, minute, day, at, retryAfterSeconds } = verdict
  const headers: [string, string][] = [
    ['X-RateLimit-Limit', String(shown.limit)],
    ['X-RateLimit-Remaining', String(shown.remaining)],
    ['X-RateLimit-Reset', String(Math.ceil(shown.resetAt / second))],
  ]
  if (day === null) {
    headers.push(['RateLimit-Policy', minutePolicy(minute)], ['RateLimit', quotaHeader('minute', minute, at)])
  } else {
    headers.push(
      ['RateLimit-Policy', `${minutePolicy(minute)}, ${dayPolicy(day)}`],
      ['RateLimit', `${quotaHeader('minute', minute, at)}, ${quotaHeader('day', day, at)}`],
    )
  }
  if (retryAfterSeconds !== null) headers.push(['Retry-After', String(retryAfterSeconds)])
  return headers
}

/** Browsers only expose these headers to other origins if we list them. */
export const exposedLimitHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
] as const

const minutePolicy = ({ limit }: WindowView) => `"minute";q=${limit};w=${windowLength.minute / second}`
const dayPolicy = ({ limit }: WindowView) => `"day";q=${limit};w=${windowLength.day / second}`

function quotaHeader(name: string, { remaining, resetAt }: WindowView, at: number): string {
  return `"${name}";r=${remaining};t=${secondsUntil(resetAt, at)}`
}
