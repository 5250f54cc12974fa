import type { Id } from '@masthead/contract/ids.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import type { AccountRow } from './account.ts'
import { findAccount, updateAccount } from './store.ts'

/** Sets or, without a reason, ends a suspension. A part of something larger: its sites have to follow. */
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
