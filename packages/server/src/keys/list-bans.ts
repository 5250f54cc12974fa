import type { OperatorBan } from '@masthead/contract/schemas/operator.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import { isoTime, second } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { type PageRequest, readCursor, toPage, wrongCursor } from '../database/page.ts'
import { nextBanLength } from '../limits/conduct.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Ban } from '../limits/verdict.ts'
import { bannedKeysAfter } from './banned-store.ts'

type Row = Awaited<ReturnType<typeof bannedKeysAfter>>[number]

/**
 * Every key that is banned now, soonest to end first. The database knows whom to ask about, the limiter whether it is
 * so: a ban that another process lifted is not shown.
 */
export async function listBans(
  { database, now }: Context,
  limiter: Limiter,
  { cursor, limit }: PageRequest,
): Promise<Page<OperatorBan>> {
  const after = readPlace(readCursor(cursor))
  await limiter.flush()
  const rows = await bannedKeysAfter(database.read, { now: now(), after, limit: limit + 1 })
  const { items, next } = toPage(
    rows,
    limit,
    ({ until, key_id }) => `${until} ${key_id}`,
    (row) => row,
  )
  const byAccount = Map.groupBy(items, ({ account_id }) => account_id)
  const asked = Array.from(byAccount, ([accountId, keys]) =>
    limiter.bans(
      accountId,
      keys.map(({ key_id }) => key_id),
    ),
  )
  const bans = new Map((await Promise.all(asked)).flatMap((some) => [...some]))
  return { items: items.flatMap((row) => describe(row, bans.get(row.key_id))), next }
}

function describe(row: Row, ban: Ban | undefined): OperatorBan[] {
  if (ban === undefined) return []
  const { key_id: keyId, key_name: keyName, account_id: accountId, account_name: accountName } = row
  const { since, until, violations, step } = ban
  const nextBanSeconds = nextBanLength(step) / second
  const described = { keyId, keyName, accountId, accountName, violations, nextBanSeconds }
  return [{ ...described, since: isoTime(since), until: isoTime(until) }]
}

function readPlace(text: string | undefined): { until: number; keyId: string } | null {
  if (text === undefined) return null
  const [, until, keyId] = /^(\d{1,15}) (\S+)$/.exec(text) ?? []
  if (until === undefined || keyId === undefined) throw wrongCursor()
  return { until: Number(until), keyId }
}
