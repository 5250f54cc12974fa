import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Role, roles, type Scope } from '@masthead/contract/scopes.ts'
import type { EventActor } from '../events/record-event.ts'

/** A member got another role or is no longer one. What they created and may no longer have ends or is reassigned. */
export interface MembershipChange {
  accountId: Id<'account'>
  personId: Id<'person'>
  /** Null: no longer a member. */
  role: Role | null
  /** `keep`: what acts for the account stays, and `newOwnerId` is responsible for it. */
  keys: 'revoke' | 'keep'
  newOwnerId: Id<'person'> | null
  by: EventActor
  at: number
}

/** Whether the person is still a member, with these scopes. */
export function stillHas({ role }: Pick<MembershipChange, 'role'>, needed: readonly Scope[]): boolean {
  if (role === null) return false
  const own: readonly Scope[] = roles[role].scopes
  return needed.every((scope) => own.includes(scope))
}
