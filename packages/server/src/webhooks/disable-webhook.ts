import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { DisabledReason } from '@masthead/contract/webhooks/webhooks.ts'
import type { Tx } from '../database/database.ts'
import { deleteQueuesOf, failPending } from './delivery/queue-store.ts'
import { updateWebhook } from './store.ts'

/** Nothing more is sent. The caller holds the lock of the webhook. */
export async function disableWebhook(
  tx: Tx,
  id: Id<'webhook'>,
  { reason, at }: { reason: DisabledReason; at: number },
): Promise<void> {
  await updateWebhook(tx, id, { disabled_at: at, disabled_reason: reason })
  await failPending(tx, id, { now: at })
  await deleteQueuesOf(tx, id)
}
