import type { FastifyBaseLogger } from 'fastify'
import { eventActor, type KeyActor } from '../../accounts/actor.ts'
import type { Context } from '../../database/database.ts'
import { type NewEvent, recordEvent, system } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Verdict } from '../../limits/verdict.ts'

/** Problem types of draft-ietf-httpapi-ratelimit-headers. */
const problemTypes = 'https://iana.org/assignments/http-problem-types'

export function limitProblem({ ban, shown, violated, at, retryAfterSeconds }: Verdict): Problem {
  const wait = formatWait(retryAfterSeconds ?? 1)
  if (ban !== null) {
    const type = `${problemTypes}#abnormal-usage-detected`
    const detail = `This key ignored ${ban.violations} rate limit responses. It works again in ${wait}.`
    return new Problem('key_banned', detail, {
      extra: { type, bannedUntil: new Date(ban.until).toISOString() },
    })
  }
  const type = `${problemTypes}#quota-exceeded`
  const what = violated.includes('day') ? 'today' : 'this minute'
  const again = formatWait(Math.max(1, Math.ceil((shown.resetAt - at) / 1000)))
  const detail = `You've used all ${shown.limit} requests ${what}. The limit resets in ${again}.`
  return new Problem('rate_limited', detail, { extra: { type, 'violated-policies': violated } })
}

function formatWait(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

/** Shares of the daily limit at which we warn the account. */
const warnings = [0.8, 1]

/** Records events that members should see. The request does not wait for it. */
export function recordVerdict(
  context: Context,
  actor: KeyActor,
  verdict: Verdict,
  log: FastifyBaseLogger,
): void {
  const event = eventOf(actor, verdict)
  if (event === null) return
  const accountId = actor.account.id
  context.database
    .write((tx) => recordEvent(tx, { ...event, accountId, at: context.now() }))
    .catch((error: unknown) => log.warn({ err: error, event: event.type }, 'could not record an event'))
}

function eventOf(actor: KeyActor, verdict: Verdict): Omit<NewEvent, 'accountId' | 'at'> | null {
  if (verdict.banStarted && verdict.ban !== null) {
    const { until, violations } = verdict.ban
    const data = {
      keyId: actor.key.id,
      name: actor.key.name,
      until: new Date(until).toISOString(),
      violations,
    }
    return { type: 'key.banned', by: system, data }
  }
  if (!verdict.admitted || verdict.day === null) return null
  const { limit, used } = verdict.day
  // Every admitted request adds one to the count, so exactly one of them hits each mark.
  const share = warnings.find((mark) => used === Math.ceil(limit * mark))
  if (share === undefined) return null
  return { type: 'account.quota_warning', by: eventActor(actor), data: { used, limit, percent: share * 100 } }
}
