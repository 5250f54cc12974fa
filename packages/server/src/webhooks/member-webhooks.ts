import type { EndedMembership } from '@masthead/contract/schemas/people.ts'
import { type MembershipChange, stillHas } from '../accounts/membership-change.ts'
import type { Database, Tx } from '../database/database.ts'
import { endWebhook, webhookScopes } from './manage-webhooks.ts'
import { lockWebhook, updateWebhook, webhooksOf } from './store.ts'

/** Removes or reassigns the webhooks of a member who could not create them any more. */
export async function endMemberWebhooks(
  database: Database,
  tx: Tx,
  change: MembershipChange,
): Promise<EndedMembership['removedWebhooks']> {
  if (stillHas(change, webhookScopes)) return []
  const ended: EndedMembership['removedWebhooks'] = []
  // In the order in which workers lock several of them.
  for (const { id } of (await webhooksOf(tx, change.accountId)).reverse()) {
    const row = await lockWebhook(database, tx, id)
    if (row?.responsible_id !== change.personId) continue
    if (change.keys === 'keep') await updateWebhook(tx, id, { responsible_id: change.newOwnerId })
    else ended.push({ id, host: await endWebhook(tx, row, change) })
  }
  return ended
}
