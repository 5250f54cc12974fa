import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { type AccountRow, limitsOf } from '../accounts/account.ts'
import { isoTime, second } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { describeStorage } from '../deployments/storage-quota.ts'
import { readKeyNames } from '../keys/read.ts'
import { nextBanLength } from '../limits/conduct.ts'
import type { Count } from '../limits/history.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { WindowView } from '../limits/verdict.ts'

/** What an account has used of its limits, as its people see it. */
export async function describeUsage(context: Context, limiter: Limiter, account: AccountRow): Promise<Usage> {
  const { minute, day, history } = await limiter.usage(account.id, limitsOf(account))
  const names = await readKeyNames(context, account.id)
  const bans = await limiter.bans(account.id, [...names.keys()])
  const today = await limiter.requestsOfKeys([...names.keys()])
  if (day === null) throw new Error('Every account has a limit per day')
  return {
    minute: toQuota(minute),
    day: toQuota(day),
    storage: await describeStorage(context.database.read, account.id),
    bans: Array.from(names).flatMap(([keyId, keyName]) => {
      const ban = bans.get(keyId)
      if (ban === undefined) return []
      const { since, until, violations, step } = ban
      const nextBanSeconds = nextBanLength(step) / second
      return [{ keyId, keyName, since: isoTime(since), until: isoTime(until), violations, nextBanSeconds }]
    }),
    keys: Array.from(names).flatMap(([keyId, keyName]) => {
      const requests = today.get(keyId)
      return requests === undefined ? [] : [{ keyId, keyName, requests }]
    }),
    history: { minutes: history.minutes.map(toCount), days: history.days.map(toCount) },
  }
}

function toQuota({ limit, used, remaining, resetAt }: WindowView): Usage['minute'] {
  return { limit, used, remaining, resetAt: isoTime(resetAt) }
}

function toCount({ start, requests, rejected }: Count): Usage['history']['days'][number] {
  return { start: isoTime(start), requests, rejected }
}
