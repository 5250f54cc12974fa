import type { Id } from '@masthead/contract/ids.ts'
import type { Reader } from '../database/database.ts'
import { type AccountRow, mostStorageOf } from './account.ts'
import { findAccount, firstAccount } from './store.ts'

export async function firstAccountId(db: Reader): Promise<Id<'account'> | null> {
  return (await firstAccount(db))?.id ?? null
}

/** What an account may store, with the plan that says so; nothing where it is gone. */
export async function storageLimitOf(
  db: Reader,
  id: Id<'account'>,
): Promise<{ plan: AccountRow['plan']; limit: number }> {
  const row = await findAccount(db, id)
  return row === undefined ? { plan: 'free', limit: 0 } : { plan: row.plan, limit: mostStorageOf(row) }
}
