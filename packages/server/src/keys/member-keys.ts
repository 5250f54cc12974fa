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
  /** `keep`: keys that act for the account stay, and whoever asks answers for them from now on. */
  keys: 'revoke' | 'keep'
}

/** Who leaves knows the secrets of the keys they created, so these end with their membership unless told otherwise. */
export function endMembership(
  { database, now }: Context,
  { actor, personId, keys }: MemberChange,
): Promise<{ revokedKeys: EndedKey[] }> {
  return database.write(async (tx) => {
    const change = { accountId: actor.account.id, personId, by: eventActor(actor), at: now() }
    await removeMember(database, tx, { ...change, keepInvitations: keys === 'keep' })
    // A key that acts for the person can act for nobody now.
    const fate = (key: KeyRow) => (key.person_id === null ? keys : 'revoke')
    return { revokedKeys: await settleKeys(tx, { ...change, heir: newOwnerOf(actor, personId) }, fate) }
  })
}

/** The same for those of their keys that may do more than the new role. */
export function changeMembership(
  { database, now }: Context,
  { actor, personId, keys, role }: MemberChange & { role: Role },
): Promise<Member & { revokedKeys: EndedKey[] }> {
  return database.write(async (tx) => {
    const change = { accountId: actor.account.id, personId, by: eventActor(actor), at: now() }
    const granting = { role, grantable: actor.scopes, keepInvitations: keys === 'keep' }
    const member = await changeRole(database, tx, { ...change, ...granting })
    const allowed: readonly Scope[] = roles[role].scopes
    // A key that acts for the person follows their role as it is.
    const fate = ({ person_id, scopes }: KeyRow) =>
      person_id === null && readScopes(scopes).some((scope) => !allowed.includes(scope)) ? keys : null
    return {
      ...member,
      revokedKeys: await settleKeys(tx, { ...change, heir: newOwnerOf(actor, personId) }, fate),
    }
  })
}

/** Who leaves takes the keys that they created along. */
export function leaveWithKeys(
  { database, now }: Context,
  { accountId, personId }: { accountId: Id<'account'>; personId: Id<'person'> },
): Promise<void> {
  return database.write(async (tx) => {
    const at = now()
    const by = await leaveAccount(database, tx, { accountId, personId, at })
    await settleKeys(tx, { accountId, personId, by, at, heir: null }, () => 'revoke')
  })
}

function newOwnerOf(actor: AccountActor, personId: Id<'person'>): Id<'person'> | null {
  const heir = responsibleFor(actor)
  return heir === personId ? null : heir
}

interface Settlement {
  accountId: Id<'account'>
  personId: Id<'person'>
  by: EventActor
  at: number
  /** Who answers for kept keys from now on. */
  heir: Id<'person'> | null
}

/** Null: nothing changes for the key. */
async function settleKeys(
  tx: Tx,
  { accountId, personId, by, at, heir }: Settlement,
  fate: (key: KeyRow) => MemberChange['keys'] | null,
): Promise<EndedKey[]> {
  const ended: EndedKey[] = []
  for (const key of await keysOfPerson(tx, accountId, personId)) {
    const { id, name } = key
    if (fate(key) === 'keep') await reassignKey(tx, id, heir)
    if (fate(key) !== 'revoke') continue
    await deleteKey(tx, accountId, id)
    await recordEvent(tx, { accountId, type: 'key.revoked', by, at, data: { keyId: id, name } })
    ended.push({ id, name })
  }
  return ended
}
