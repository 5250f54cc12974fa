import type { EndedMembership } from '@masthead/contract/schemas/people.ts'
import { type MembershipChange, stillHas } from '../accounts/membership-change.ts'
import type { Tx } from '../database/database.ts'
import { recordEvent } from '../events/record-event.ts'
import { readScopes } from './key.ts'
import { deleteKey, keysOfPerson, reassignKey } from './store.ts'

/** Revokes or reassigns those of the member's keys that have more scopes than the new role. */
export async function endMemberKeys(
  tx: Tx,
  change: MembershipChange,
): Promise<EndedMembership['revokedKeys']> {
  const { accountId, personId, by, at } = change
  const ended: EndedMembership['revokedKeys'] = []
  for (const key of await keysOfPerson(tx, accountId, personId)) {
    const { id, name } = key
    // A personal key follows the role automatically. Without a member it has nobody left to act for.
    const isPersonal = key.person_id !== null
    if (stillHas(change, isPersonal ? [] : readScopes(key.scopes))) continue
    if (change.keys === 'keep' && !isPersonal) {
      await reassignKey(tx, key, change.newOwnerId)
      continue
    }
    await deleteKey(tx, accountId, id)
    await recordEvent(tx, { accountId, type: 'key.revoked', by, at, data: { keyId: id, name } })
    ended.push({ id, name })
  }
  return ended
}
