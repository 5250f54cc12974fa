import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import type { Context, Reader } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { day } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { type AccountRow, maxStorageOf, toAccount } from './account.ts'
import { accountOverviewsBefore, findAccount, firstAccount } from './store.ts'

export async function firstAccountId(db: Reader): Promise<Id<'account'> | null> {
  return (await firstAccount(db))?.id ?? null
}

export async function requireAccount(db: Reader, id: Id<'account'>): Promise<AccountRow> {
  const row = await findAccount(db, id)
  if (row === undefined) throw new Problem('not_found', `There is no account ${id}.`)
  return row
}

/** The storage limit of an account, and its plan. Zero if the account was deleted. */
export async function storageLimitOf(
  db: Reader,
  id: Id<'account'>,
): Promise<{ plan: AccountRow['plan']; limit: number }> {
  const row = await findAccount(db, id)
  return row === undefined ? { plan: 'free', limit: 0 } : { plan: row.plan, limit: maxStorageOf(row) }
}

/** For the operator: every account on this server. */
export async function listAccounts(
  { database, now }: Context,
  { cursor, limit, search }: PageRequest & { search?: string | undefined },
): Promise<Page<OperatorAccount>> {
  const before = readCursor(cursor)
  const rows = await accountOverviewsBefore(database, {
    ...(before !== undefined && { before }),
    ...(search !== undefined && { search }),
    today: Math.floor(now() / day) * day,
    limit: limit + 1,
  })
  return toPage(
    rows,
    limit,
    (row) => row.id,
    (row) => ({
      ...toAccount(row),
      projects: Number(row.projects),
      domains: Number(row.domains),
      members: Number(row.members),
      usedToday: row.used_today ?? 0,
    }),
  )
}
