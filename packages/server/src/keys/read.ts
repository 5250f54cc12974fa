import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { OperatorBan } from '@masthead/contract/schemas/operator.ts'
import type { Context } from '../database/database.ts'
import { invalidCursor, type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { isoTime, second } from '../kernel/clock.ts'
import { nextBanLength } from '../limits/ban.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Ban } from '../limits/verdict.ts'
import { bannedKeysAfter, findKey, keyNames } from './store.ts'

export async function readKeyNames(
  { database }: Context,
  accountId: Id<'account'>,
): Promise<Map<Id<'key'>, string>> {
  const rows = await keyNames(database.read, accountId)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function readKeyOwner(
  { database }: Context,
  id: Id<'key'>,
): Promise<{ accountId: Id<'account'>; name: string } | null> {
  const row = await findKey(database.read, id)
  return row === undefined ? null : { accountId: row.account_id, name: row.name }
}

type Row = Awaited<ReturnType<typeof bannedKeysAfter>>[number]

/**
 * Keys that are banned now, soonest to end first. The database lists candidates, the limiter confirms them: bans that
 * another process lifted are not shown.
 */
export async function listBans(
  { database, now }: Context,
  limiter: Limiter,
  { cursor, limit }: PageRequest,
): Promise<Page<OperatorBan>> {
  const after = readBanCursor(readCursor(cursor))
  await limiter.flush()
  const rows = await bannedKeysAfter(database.read, { now: now(), after, limit: limit + 1 })
  const { items, next } = toPage(
    rows,
    limit,
    ({ until, key_id }) => `${until} ${key_id}`,
    (row) => row,
  )
  const byAccount = Map.groupBy(items, ({ account_id }) => account_id)
  const queries = Array.from(byAccount, ([accountId, keys]) =>
    limiter.bans(
      accountId,
      keys.map(({ key_id }) => key_id),
    ),
  )
  const bans = new Map((await Promise.all(queries)).flatMap((some) => [...some]))
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

function readBanCursor(text: string | undefined): { until: number; keyId: string } | null {
  if (text === undefined) return null
  const [, until, keyId] = /^(\d{1,15}) (\S+)$/.exec(text) ?? []
  if (until === undefined || keyId === undefined) throw invalidCursor()
  return { until: Number(until), keyId }
}
