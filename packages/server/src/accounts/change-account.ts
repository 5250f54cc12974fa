import { isCustomPlan, type PlanName } from '@masthead/contract/plans.ts'
import type { CustomLimits } from '@masthead/contract/schemas/account.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Context, type Database, lock, type Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import type { AccountRow } from './account.ts'
import { findAccount, updateAccount } from './store.ts'

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
  limits?: CustomLimits | undefined
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
  const change = isCustomPlan(plan) && limits === undefined ? { plan } : { plan, ...agreed }
  const row = found(await updateAccount(tx, accountId, change), accountId)
  await recordEvent(tx, { accountId, type: 'account.plan_changed', by, at, data: { plan } })
  return row
}

function found(row: AccountRow | undefined, id: string): AccountRow {
  if (row === undefined) throw new Problem('not_found', `There is no account ${id}.`)
  return row
}
