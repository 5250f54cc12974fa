import type { Id } from '@masthead/contract/ids.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { Problem } from '../problem.ts'
import type { AccountRow } from './account.ts'
import { findAccount } from './store.ts'

/**
 * Makes those who change a plan, and those who do what only some plans include, wait for each other, and gives the
 * account as it is now. It comes before every other lock.
 */
export async function lockPlan(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  accountId: Id<'account'>,
): Promise<AccountRow> {
  await lock(database, tx, `plan:${accountId}`)
  const row = await findAccount(tx, accountId)
  if (row === undefined) throw new Problem('not_found', `There is no account ${accountId}.`)
  return row
}
