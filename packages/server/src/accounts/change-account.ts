import { isCustomPlan, type PlanName } from '@masthead/contract/plans.ts'
import type { CustomLimits } from '@masthead/contract/schemas/account.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Context, type Database, lock, type Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import type { AccountRow } from './account.ts'
import { findAccount, updateAccount } from './store.ts'

/**
 * Serializes plan changes and everything that depends on the plan, and returns the current account. To avoid deadlocks,
 * take this lock before any other.
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

/** The same, inside a transaction of the caller. */
export async function renameAccountIn(
  tx: Tx,
  { accountId, name, by, at }: NewName & { at: number },
): Promise<AccountRow> {
  const row = requireAccount(await updateAccount(tx, accountId, { name }), accountId)
  await recordEvent(tx, { accountId, type: 'account.renamed', by, at, data: { name } })
  return row
}

export interface PlanChange {
  accountId: Id<'account'>
  plan: PlanName
  /** Only for custom plans. */
  limits?: CustomLimits | undefined
  by: EventActor
}

/** The caller stops what the plan no longer includes, in the same transaction. */
export async function changePlanIn(
  tx: Tx,
  { accountId, plan, limits, by, at }: PlanChange & { at: number },
): Promise<AccountRow> {
  const customLimits = {
    limit_per_minute: limits?.perMinute ?? null,
    limit_per_day: limits?.perDay ?? null,
    limit_domains: limits?.domainsPerProject ?? null,
    limit_storage: limits?.storageBytes ?? null,
  }
  // A custom plan without new limits keeps the ones that were set.
  const change = isCustomPlan(plan) && limits === undefined ? { plan } : { plan, ...customLimits }
  const row = requireAccount(await updateAccount(tx, accountId, change), accountId)
  await recordEvent(tx, { accountId, type: 'account.plan_changed', by, at, data: { plan } })
  return row
}

function requireAccount(row: AccountRow | undefined, id: string): AccountRow {
  if (row === undefined) throw new Problem('not_found', `There is no account ${id}.`)
  return row
}
