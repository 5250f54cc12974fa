import type { Id } from '@masthead/contract/ids.ts'
import type { Context } from '../database/context.ts'
import { findKey, keyNames } from './store.ts'

/** The names of an account's keys, by id. */
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
