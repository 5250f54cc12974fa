import type { Id } from '@masthead/contract/ids.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import type { Context } from '../database/context.ts'
import type { Reader } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/page.ts'
import { toAccount } from './account.ts'
import { accountsBefore, firstAccount } from './store.ts'

export async function listAccounts(
  { database }: Context,
  { cursor, limit }: PageRequest,
): Promise<Page<Account>> {
  const rows = await accountsBefore(database.read, readCursor(cursor), limit + 1)
  return toPage(rows, limit, (row) => row.id, toAccount)
}

export async function firstAccountId(db: Reader): Promise<Id<'account'> | null> {
  return (await firstAccount(db))?.id ?? null
}
