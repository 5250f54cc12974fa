import type { PlanName } from '@masthead/contract/plans.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Context, lock, type Reader, type Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { day } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import type { AccountRow } from './account.ts'
import {
  accountsDeletedBefore,
  deleteAccountRow,
  deletedAccountsWithContents,
  deleteSomeRowsOf,
  findAccount,
  insertAccount,
  updateAccount,
} from './store.ts'

export async function createAccount(
  tx: Tx,
  input: { name: string; plan: PlanName; by: EventActor; at: number },
): Promise<AccountRow> {
  const row: AccountRow = {
    id: newId('account', input.at),
    name: input.name,
    plan: input.plan,
    limit_per_minute: null,
    limit_per_day: null,
    limit_domains: null,
    limit_storage: null,
    created_at: input.at,
    suspended_at: null,
    suspended_reason: null,
    deleted_at: null,
  }
  await insertAccount(tx, row)
  await recordEvent(tx, { accountId: row.id, type: 'account.created', by: input.by, at: input.at })
  return row
}

/** Suspends the account, or restores it if `reason` is null. The caller updates its sites in the same transaction. */
export async function setSuspension(
  tx: Tx,
  input: { accountId: Id<'account'>; reason: string | null; by: EventActor; at: number },
): Promise<{ account: AccountRow; isChanged: boolean }> {
  const { accountId, reason, by, at } = input
  const before = await findAccount(tx, accountId)
  if (before === undefined) throw new Problem('not_found', `There is no account ${accountId}.`)
  if (before.suspended_reason === reason) return { account: before, isChanged: false }
  const suspended_at = reason === null ? null : (before.suspended_at ?? at)
  const row = await updateAccount(tx, accountId, { suspended_at, suspended_reason: reason })
  const type = reason === null ? 'account.restored' : 'account.suspended'
  await recordEvent(tx, { accountId, type, by, at, data: reason === null ? {} : { reason } })
  return { account: row ?? before, isChanged: true }
}

/** How long we keep the activity of a deleted account, in case somebody asks what happened. */
export const deletionGracePeriod = 30 * day

const batchSize = 100

/** Queries no longer find the account. The caller removes its contents in the same transaction. */
export async function markDeleted(
  tx: Tx,
  { accountId, by, at }: { accountId: Id<'account'>; by: EventActor; at: number },
): Promise<void> {
  await updateAccount(tx, accountId, { deleted_at: at })
  await recordEvent(tx, { accountId, type: 'account.deleted', by, at })
}

/** Deleted accounts whose webhooks and projects are not removed yet. */
export function unfinishedDeletions(db: Reader): Promise<Id<'account'>[]> {
  return deletedAccountsWithContents(db)
}

/** Deletes accounts past the grace period for good. True if there are more. */
export async function forgetDeletedAccounts({ database, now }: Context): Promise<boolean> {
  const ids = await accountsDeletedBefore(database.read, now() - deletionGracePeriod, batchSize)
  for (const id of ids) {
    const deleteSome = async (tx: Tx) => {
      // Another node that deletes the same batch would find nothing in it, as if it were the last one.
      await lock(database, tx, `rows of ${id}`)
      return deleteSomeRowsOf(tx, id)
    }
    while (await database.write(deleteSome));
    await database.write((tx) => deleteAccountRow(tx, id))
  }
  return ids.length === batchSize
}
