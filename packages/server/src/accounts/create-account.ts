import type { PlanName } from '@masthead/contract/plans.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { newId } from '../ids.ts'
import type { AccountRow } from './account.ts'
import { insertAccount } from './store.ts'

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
