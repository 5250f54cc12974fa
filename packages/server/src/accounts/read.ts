import type { Id } from '@masthead/contract/ids.ts'
import type { Reader } from '../database/database.ts'
import { firstAccount } from './store.ts'

export async function firstAccountId(db: Reader): Promise<Id<'account'> | null> {
  return (await firstAccount(db))?.id ?? null
}
