import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { Delivery } from '@masthead/contract/schemas/webhook.ts'
import { webhookPayload } from '@masthead/contract/webhooks/payload.ts'
import { testEventType } from '@masthead/contract/webhooks/webhooks.ts'
import type { Context } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { type EventActor, noteAccountChange } from '../events/record-event.ts'
import { isoTime } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { newDelivery } from './delivery/outbox.ts'
import { dueForPerson, ensureQueue } from './delivery/queue-store.ts'
import { found, lockOwn } from './manage-webhooks.ts'
import { deliveriesBefore, findDelivery, findWebhook, insertDeliveries } from './store.ts'
import { toDelivery } from './webhook.ts'

interface Which {
  accountId: Id<'account'>
  webhookId: Id<'webhook'>
}

export async function listDeliveries(
  { database }: Context,
  { accountId, webhookId }: Which,
  { cursor, limit }: PageRequest,
): Promise<Page<Delivery>> {
  const webhook = found(await findWebhook(database.read, accountId, webhookId), webhookId)
  const rows = await deliveriesBefore(database.read, webhookId, readCursor(cursor), limit + 1)
  return toPage(
    rows,
    limit,
    (row) => row.id,
    (row) => toDelivery(row, webhook),
  )
}

/** Sends an event again, with the same `webhook-id`. It waits for no other delivery. */
export function resendDelivery(
  context: Context,
  which: Which & { deliveryId: Id<'delivery'> },
): Promise<Delivery> {
  const { webhookId, deliveryId } = which
  return sendNow(context, which, async (tx) => {
    const row = await findDelivery(tx, webhookId, deliveryId)
    if (row === undefined) throw new Problem('not_found', `There is no delivery ${deliveryId}.`)
    return { event_id: row.event_id, type: row.type, payload: row.payload }
  })
}

export function sendTest(context: Context, which: Which & { by: EventActor }): Promise<Delivery> {
  const { accountId, by } = which
  const about = { type: testEventType, at: isoTime(context.now()), data: {}, projectId: null, actor: by }
  const payload = webhookPayload(about, accountId)
  return sendNow(context, which, async () => ({
    event_id: null,
    type: testEventType,
    payload: JSON.stringify(payload),
  }))
}

type Content = Pick<Parameters<typeof insertDeliveries>[1][number], 'event_id' | 'type' | 'payload'>

function sendNow(
  { database, now }: Context,
  { accountId, webhookId }: Which,
  content: (tx: Parameters<typeof lockOwn>[1]) => Promise<Content>,
): Promise<Delivery> {
  return database.write(async (tx) => {
    const at = now()
    const webhook = await lockOwn(database, tx, accountId, webhookId)
    if (webhook.disabled_at !== null) {
      throw new Problem('webhook_disabled', 'Nothing is sent to this webhook while it is disabled.')
    }
    const sent = { ...newDelivery(webhookId, { resource: null, seq: 1, at }), ...(await content(tx)) }
    await insertDeliveries(tx, [sent])
    await ensureQueue(tx, {
      webhook_id: webhookId,
      resource: sent.resource,
      account_id: accountId,
      due_at: dueForPerson,
    })
    noteAccountChange(tx, accountId)
    return toDelivery({ ...sent, event_id: sent.event_id ?? null }, webhook)
  })
}
