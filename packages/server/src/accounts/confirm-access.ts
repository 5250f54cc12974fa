import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Scope } from '@masthead/contract/scopes.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { Problem } from '../kernel/problem.ts'
import { type AccountActor, leftAccount, unknownKey } from './actor.ts'
import { stillHas } from './membership-change.ts'
import { findActingKey, findRole } from './store.ts'

/**
 * Serializes changes of an account's members, and everything that ends with a membership. Take it after the plan's lock
 * and before any other.
 */
export function lockMembers(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  accountId: Id<'account'>,
): Promise<void> {
  return lock(database, tx, `members:${accountId}`)
}

/**
 * Call it first in a transaction that creates or reassigns something that ends with the membership of the responsible
 * person, and store that person, who is returned; null: unknown. A request is authorized before its transaction: without
 * this, a member who is removed in between would keep what the removal did not see.
 */
export async function confirmAccess(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  actor: AccountActor,
  needed: readonly Scope[],
): Promise<Id<'person'> | null> {
  const accountId = actor.account.id
  await lockMembers(database, tx, accountId)
  if (actor.kind === 'person') return confirmRole(tx, accountId, actor.person.id, needed)
  const key = await findActingKey(tx, accountId, actor.key.id)
  if (key === undefined) throw unknownKey()
  if (key.person_id !== null) return confirmRole(tx, accountId, key.person_id, needed)
  // A key that acts for the account is revoked or reassigned with the role of its responsible person.
  return key.responsible_id
}

async function confirmRole(
  tx: Tx,
  accountId: Id<'account'>,
  personId: Id<'person'>,
  needed: readonly Scope[],
): Promise<Id<'person'>> {
  const role = await findRole(tx, accountId, personId)
  if (role === null) throw leftAccount()
  if (!stillHas({ role }, needed))
    throw new Problem('forbidden', `Your role, ${role}, no longer allows this.`)
  return personId
}
