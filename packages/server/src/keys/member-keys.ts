import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Member } from '@masthead/contract/schemas/people.ts'
import { type Role, roles, type Scope } from '@masthead/contract/scopes.ts'
import { type AccountActor, eventActor, responsibleFor } from '../accounts/actor.ts'
import type { Context, Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { changeRole, leaveAccount, removeMember } from '../people/members.ts'
import { readScopes } from './key.ts'
import { deleteKey, type KeyRow, keysOfPerson, reassignKey } from './store.ts'

export interface EndedKey {
  id: Id<'key'>
  name: string
}

interface MemberChange {
  actor: AccountActor
  personId: Id<'person'>
  /** `keep`: keys that act for the account stay, and the actor becomes responsible for them. */
  keys: 'revoke' | 'keep'
}

/** Former members know the secrets of the keys they created, so we revoke those keys unless asked to keep them. */
export function endMembership(
  { database, now }: Context,
  { actor, personId, keys }: MemberChange,
): Promise<{ revokedKeys: EndedKey[] }> {
  return database.write(async (tx) => {
    const change = { accountId: actor.account.id, personId, by: eventActor(actor), at: now() }
    await removeMember(database, tx, { ...change, keepInvitations: keys === 'keep' })
    // A personal key has nobody left to act for.
    const decide = (key: KeyRow) => (key.person_id === null ? keys : 'revoke')
    return {
      revokedKeys: await revokeOrReassignKeys(
        tx,
        { ...change, newOwnerId: newOwnerAfter(actor, personId) },
        decide,
      ),
    }
  })
}

/** Revokes or reassigns those of the member's keys that have more scopes than the new role. */
export function changeMembership(
  { database, now }: Context,
  { actor, personId, keys, role }: MemberChange & { role: Role },
): Promise<Member & { revokedKeys: EndedKey[] }> {
  return database.write(async (tx) => {
    const change = { accountId: actor.account.id, personId, by: eventActor(actor), at: now() }
    const granting = { role, grantable: actor.scopes, keepInvitations: keys === 'keep' }
    const member = await changeRole(database, tx, { ...change, ...granting })
    const allowed: readonly Scope[] = roles[role].scopes
    // A personal key follows the role automatically.
    const decide = ({ person_id, scopes }: KeyRow) =>
      person_id === null && readScopes(scopes).some((scope) => !allowed.includes(scope)) ? keys : null
    return {
      ...member,
      revokedKeys: await revokeOrReassignKeys(
        tx,
        { ...change, newOwnerId: newOwnerAfter(actor, personId) },
        decide,
      ),
    }
  })
}

/** Leaving an account revokes the keys that the person created. */
export function leaveWithKeys(
  { database, now }: Context,
  { accountId, personId }: { accountId: Id<'account'>; personId: Id<'person'> },
): Promise<void> {
  return database.write(async (tx) => {
    const at = now()
    const by = await leaveAccount(database, tx, { accountId, personId, at })
    await revokeOrReassignKeys(tx, { accountId, personId, by, at, newOwnerId: null }, () => 'revoke')
  })
}

function newOwnerAfter(actor: AccountActor, personId: Id<'person'>): Id<'person'> | null {
  const newOwnerId = responsibleFor(actor)
  return newOwnerId === personId ? null : newOwnerId
}

interface KeyTransfer {
  accountId: Id<'account'>
  personId: Id<'person'>
  by: EventActor
  at: number
  /** The person responsible for kept keys from now on. */
  newOwnerId: Id<'person'> | null
}

/** `decide` returns null for keys that stay as they are. */
async function revokeOrReassignKeys(
  tx: Tx,
  { accountId, personId, by, at, newOwnerId }: KeyTransfer,
  decide: (key: KeyRow) => MemberChange['keys'] | null,
): Promise<EndedKey[]> {
  const ended: EndedKey[] = []
  for (const key of await keysOfPerson(tx, accountId, personId)) {
    const { id, name } = key
    if (decide(key) === 'keep') await reassignKey(tx, key, newOwnerId)
    if (decide(key) !== 'revoke') continue
    await deleteKey(tx, accountId, id)
    await recordEvent(tx, { accountId, type: 'key.revoked', by, at, data: { keyId: id, name } })
    ended.push({ id, name })
  }
  return ended
}
