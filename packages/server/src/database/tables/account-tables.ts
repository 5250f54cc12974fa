import type { PlanName } from '@masthead/contract/plans.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Role } from '@masthead/contract/scopes.ts'

/** Accounts and who belongs to them. */
export interface AccountTables {
  accounts: {
    id: Id<'account'>
    name: string
    plan: PlanName
    limit_per_minute: number | null
    limit_per_day: number | null
    /** Maximum domains per project; null: unlimited. */
    limit_domains: number | null
    /** Bytes of files; null: as in the Business plan. */
    limit_storage: number | null
    created_at: number
    /** Set while suspended, with the reason shown to members. */
    suspended_at: number | null
    suspended_reason: string | null
    /** Set once only its activity remains. */
    deleted_at: number | null
  }
  members: { account_id: Id<'account'>; person_id: Id<'person'>; role: Role; joined_at: number }
  invitations: {
    id: Id<'invitation'>
    account_id: Id<'account'>
    email: string
    role: Role
    token_hash: string
    invited_by: string
    /** The person responsible for it; null: unknown. */
    inviter_id: Id<'person'> | null
    created_at: number
    expires_at: number
  }
  /** Changes of plan that have not reached all domains of the account, and who made them. */
  unfinished_plan_changes: {
    account_id: Id<'account'>
    actor_kind: 'person' | 'key' | 'operator' | 'system'
    actor_id: string | null
    actor_name: string
  }
}
