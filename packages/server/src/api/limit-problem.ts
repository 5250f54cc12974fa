import type { Verdict } from '../limits/verdict.ts'
import { Problem } from '../problem.ts'

/** Problem types of draft-ietf-httpapi-ratelimit-headers. */
const problemTypes = 'https://iana.org/assignments/http-problem-types'

export function limitProblem({ ban, shown, violated, at, retryAfterSeconds }: Verdict): Problem {
  const wait = inWords(retryAfterSeconds ?? 1)
  if (ban !== null) {
    const type = `${problemTypes}#abnormal-usage-detected`
    const detail = `The key went on ${ban.violations} times after being told to wait. It works again in ${wait}.`
    return new Problem('key_banned', detail, {
      extra: { type, bannedUntil: new Date(ban.until).toISOString() },
    })
  }
  const type = `${problemTypes}#quota-exceeded`
  const what = violated.includes('day') ? 'of the day' : 'of this minute'
  const again = inWords(Math.max(1, Math.ceil((shown.resetAt - at) / 1000)))
  const detail = `All ${shown.limit} requests ${what} are used. They start again in ${again}.`
  return new Problem('rate_limited', detail, { extra: { type, 'violated-policies': violated } })
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
