import type { Id } from '@masthead/contract/ids.ts'
import { day } from '../clock.ts'
import type { Context } from '../database/context.ts'
import type { Reader, Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { accountsDeletedBefore, deleteAccountRow, updateAccount } from './store.ts'

/** How long the activity of a deleted account is kept, for whoever has to explain what happened. */
export const keptAfterDeletion = 30 * day

const mostAtOnce = 100

/** From here on nobody finds the account. A part of something larger: what belongs to it goes too. */
export async function markDeleted(
  tx: Tx,
  { accountId, by, at }: { accountId: Id<'account'>; by: EventActor; at: number },
): Promise<void> {
  await updateAccount(tx, accountId, { deleted_at: at })
  await recordEvent(tx, { accountId, type: 'account.deleted', by, at })
}

export function deletedAccounts(db: Reader, now: number): Promise<Id<'account'>[]> {
  return accountsDeletedBefore(db, now, mostAtOnce)
}

/** What is left of accounts that were deleted long ago. */
export async function forgetDeletedAccounts({ database, now }: Context): Promise<boolean> {
  const ids = await accountsDeletedBefore(database.read, now() - keptAfterDeletion, mostAtOnce)
  for (const id of ids) await database.write((tx) => deleteAccountRow(tx, id))
  return ids.length === mostAtOnce
}
