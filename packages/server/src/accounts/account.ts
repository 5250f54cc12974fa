import { plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { Selectable } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { isoTime } from '../kernel/clock.ts'

export type AccountRow = Selectable<Schema['accounts']>

/** Used for Enterprise accounts until custom limits are set. */
const customPlanDefaults = plans.business

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    limits: { ...limitsOf(row), domainsPerProject: maxDomainsOf(row), storageBytes: maxStorageOf(row) },
    createdAt: isoTime(row.created_at),
    suspension: suspensionOf(row),
  }
}

export function suspensionOf(
  row: Pick<AccountRow, 'suspended_at' | 'suspended_reason'>,
): Account['suspension'] {
  if (row.suspended_at === null) return null
  return { since: isoTime(row.suspended_at), reason: row.suspended_reason ?? '' }
}

/** Picks the account's columns from a joined row. */
export function accountOf(row: AccountRow): AccountRow {
  const { id, name, plan, limit_per_minute, limit_per_day, limit_domains, limit_storage, created_at } = row
  const { suspended_at, suspended_reason, deleted_at } = row
  const limits = { limit_per_minute, limit_per_day, limit_domains, limit_storage }
  return { id, name, plan, ...limits, created_at, suspended_at, suspended_reason, deleted_at }
}

/** The limits on API requests. */
export function limitsOf(row: AccountRow): Pick<Account['limits'], 'perMinute' | 'perDay'> {
  const plan = plans[row.plan]
  return {
    perMinute: plan.requestsPerMinute ?? row.limit_per_minute ?? customPlanDefaults.requestsPerMinute,
    perDay: plan.requestsPerDay ?? row.limit_per_day ?? customPlanDefaults.requestsPerDay,
  }
}

/** Custom domains per project; null: unlimited. */
export function maxDomainsOf(row: Pick<AccountRow, 'plan' | 'limit_domains'>): number | null {
  return plans[row.plan].customDomains ?? row.limit_domains
}

/** Whole domains that the account can prove. */
export function maxProofsOf({ plan }: Pick<AccountRow, 'plan'>): number {
  return plans[plan].provedDomains
}

/** Bytes of files that the account can store. */
export function maxStorageOf(row: Pick<AccountRow, 'plan' | 'limit_storage'>): number {
  return plans[row.plan].storageBytes ?? row.limit_storage ?? customPlanDefaults.storageBytes
}
