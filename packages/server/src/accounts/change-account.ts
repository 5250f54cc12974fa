import type { Id } from '@masthead/contract/ids.ts'
import { isAgreed, type PlanName } from '@masthead/contract/plans.ts'
import type { AgreedLimits } from '@masthead/contract/schemas/account.ts'
import type { Context } from '../database/context.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import type { AccountRow } from './account.ts'
import { updateAccount } from './store.ts'

interface NewName {
  accountId: Id<'account'>
  name: string
  by: EventActor
}

export function renameAccount({ database, now }: Context, input: NewName): Promise<AccountRow> {
  return database.write((tx) => renameAccountIn(tx, { ...input, at: now() }))
}

/** The same as a part of something larger. */
export async function renameAccountIn(
  tx: Tx,
  { accountId, name, by, at }: NewName & { at: number },
): Promise<AccountRow> {
  const row = found(await updateAccount(tx, accountId, { name }), accountId)
  await recordEvent(tx, { accountId, type: 'account.renamed', by, at, data: { name } })
  return row
}

export interface PlanChange {
  accountId: Id<'account'>
  plan: PlanName
  /** For a plan that is agreed upon. */
  limits?: AgreedLimits | undefined
  by: EventActor
}

/** A part of something larger: what the plan no longer includes has to stop with it. */
export async function changePlanIn(
  tx: Tx,
  { accountId, plan, limits, by, at }: PlanChange & { at: number },
): Promise<AccountRow> {
  const agreed = {
    limit_per_minute: limits?.perMinute ?? null,
    limit_per_day: limits?.perDay ?? null,
    limit_domains: limits?.domainsPerProject ?? null,
    limit_storage: limits?.storageBytes ?? null,
  }
  // Who asks for such a plan without naming limits keeps those that were agreed.
  const change = isAgreed(plan) && limits === undefined ? { plan } : { plan, ...agreed }
  const row = found(await updateAccount(tx, accountId, change), accountId)
  await recordEvent(tx, { accountId, type: 'account.plan_changed', by, at, data: { plan } })
  return row
}

function found(row: AccountRow | undefined, id: string): AccountRow {
  if (row === undefined) throw new Problem('not_found', `There is no account ${id}.`)
  return row
}
