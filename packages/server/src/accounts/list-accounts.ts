import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import { day } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { type PageRequest, readCursor, toPage } from '../database/page.ts'
import { toAccount } from './account.ts'
import { accountOverviewsBefore } from './overview-store.ts'

/** All accounts, for the operator. */
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
