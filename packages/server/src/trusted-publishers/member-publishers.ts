import type { EndedMembership } from '@masthead/contract/schemas/people.ts'
import { type MembershipChange, stillHas } from '../accounts/membership-change.ts'
import type { Tx } from '../database/database.ts'
import { endPublisher, trustingScopes } from './manage-publishers.ts'
import { publishersOf, reassignPublisher } from './store.ts'

/** Removes or reassigns the trusted publishers of a member who could not add them any more. */
export async function endMemberPublishers(
  tx: Tx,
  change: MembershipChange,
): Promise<EndedMembership['removedPublishers']> {
  if (stillHas(change, trustingScopes)) return []
  const ended: EndedMembership['removedPublishers'] = []
  for (const row of await publishersOf(tx, change.accountId)) {
    if (row.responsible_id !== change.personId) continue
    if (change.keys === 'keep') await reassignPublisher(tx, row.id, change.newOwnerId)
    else ended.push({ id: row.id, name: await endPublisher(tx, row, change) })
  }
  return ended
}
