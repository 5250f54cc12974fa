import { second } from '../kernel/clock.ts'
import { windowLength } from './policy.ts'
import { secondsUntil, type Verdict, type WindowView } from './verdict.ts'

/**
 * Rate limit headers in both common formats: X-RateLimit-* with the reset as a Unix time, and draft-ietf-httpapi-
 * ratelimit-headers-11 with both windows and seconds from now. In lower case, as they are sent.
 */
export function limitHeaders(verdict: Verdict): Record<string, string> {
  const { shown, minute, day, at, retryAfterSeconds } = verdict
  const headers: Record<string, string> = {
    'x-ratelimit-limit': String(shown.limit),
    'x-ratelimit-remaining': decimal(shown.remaining),
    'x-ratelimit-reset': String(Math.ceil(shown.resetAt / second)),
    'ratelimit-policy': day === null ? minutePolicy(minute) : `${minutePolicy(minute)}, ${dayPolicy(day)}`,
    ratelimit:
      day === null
        ? quotaHeader('minute', minute, at)
        : `${quotaHeader('minute', minute, at)}, ${quotaHeader('day', day, at)}`,
  }
  if (retryAfterSeconds !== null) headers['retry-after'] = String(retryAfterSeconds)
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
  return `"${name}";r=${decimal(remaining)};t=${secondsUntil(resetAt, at)}`
}

const threeDigits = Array.from({ length: 1_000 }, (_, value) => String(value).padStart(3, '0'))

/**
 * A count as text. V8 keeps each number that it converts, with its text, in a table that lives long. These numbers are
 * different for almost every request, so all of them would be kept, and collecting garbage would take longer.
 */
function decimal(count: number): string {
  return count < 1_000 ? String(count) : decimal(Math.floor(count / 1_000)) + threeDigits[count % 1_000]
}
