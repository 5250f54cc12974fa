import type { Id } from '@masthead/contract/ids.ts'
import type { Key } from '@masthead/contract/schemas/key.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import type { Context } from '../database/context.ts'
import { type PageRequest, readCursor, toPage } from '../database/page.ts'
import { toKey } from './key.ts'
import { keysBefore } from './store.ts'

export async function listKeys(
  { database }: Context,
  accountId: Id<'account'>,
  { cursor, limit }: PageRequest,
): Promise<Page<Key>> {
  const rows = await keysBefore(database.read, accountId, readCursor(cursor), limit + 1)
  return toPage(rows, limit, (row) => row.id, toKey)
}
