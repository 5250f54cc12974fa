import type { Id } from '@masthead/contract/ids.ts'
import { plans } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { Selectable } from 'kysely'
import { isoTime } from '../clock.ts'
import type { Schema } from '../database/schema.ts'

export type AccountRow = Selectable<Schema['accounts']>

/** Limits of an Enterprise account for which nothing is agreed yet: those of the largest plan with figures. */
const unagreed = plans.business

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    limits: limitsOf(row),
    createdAt: isoTime(row.created_at),
  }
}

export function limitsOf(row: AccountRow): Account['limits'] {
  const plan = plans[row.plan]
  return {
    perMinute: plan.requestsPerMinute ?? row.limit_per_minute ?? unagreed.requestsPerMinute,
    perDay: plan.requestsPerDay ?? row.limit_per_day ?? unagreed.requestsPerDay,
  }
}

export type AccountId = Id<'account'>
