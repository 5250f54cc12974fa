import type { EventType } from '@masthead/contract/events.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Insertable } from 'kysely'
import { type Context, lock, type Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import { newId } from '../../kernel/ids.ts'
import { insertDeliveries, pendingCount, type WebhookRow } from '../store.ts'
import { payloadOf } from './body.ts'
import { lockWebhooksOf, type OutboxEvent, takeEvents } from './outbox-store.ts'
import { ensureQueue, lastSeq } from './queue-store.ts'

const batchSize = 200
/**
 * Of one webhook. An endpoint may accept events, and still be too slow for them. With each batch of events they are
 * counted, which takes two milliseconds for that many.
 */
const maxPending = { failing: 10_000, accepting: 30_000 }

/**
 * Turns events of the outbox into deliveries, one for each webhook that wants them. One worker at a time, so that
 * deliveries have the order of the outbox. True if there may be more.
 */
export async function readOutbox({ database, now }: Context): Promise<boolean> {
  return database.write(async (tx) => {
    await lock(database, tx, 'webhook outbox')
    const events = await takeEvents(tx, batchSize)
    const accounts = [...new Set(events.map(({ account_id }) => account_id))]
    const webhooks = accounts.length === 0 ? [] : await lockWebhooksOf(database, tx, accounts)
    for (const webhook of webhooks) {
      const wanted = events.filter(
        (event) => event.account_id === webhook.account_id && wants(webhook, event.type),
      )
      if (wanted.length > 0) await addDeliveries(tx, webhook, wanted, now())
    }
    return events.length === batchSize
  })
}

function wants({ events }: Pick<WebhookRow, 'events'>, type: EventType): boolean {
  return events === null || (JSON.parse(events) as EventType[]).includes(type)
}

async function addDeliveries(
  tx: Tx,
  webhook: WebhookRow,
  events: readonly OutboxEvent[],
  at: number,
): Promise<void> {
  const most = webhook.failing_since === null ? maxPending.accepting : maxPending.failing
  let room = most - (await pendingCount(tx, webhook.id, most))
  const last = new Map<string, number>()
  const rows: Insertable<Schema['webhook_deliveries']>[] = []
  for (const event of events) {
    const resource = event.project_id ?? event.account_id
    const seq = (last.get(resource) ?? (await lastSeq(tx, webhook.id, resource))) + 1
    last.set(resource, seq)
    const fits = room-- > 0
    rows.push({
      ...newDelivery(webhook.id, { resource, seq, at }),
      event_id: event.id,
      type: event.type,
      payload: JSON.stringify(payloadOf(event)),
      ...(fits ? {} : { state: 'failed' as const, finished_at: at }),
    })
    if (!fits) continue
    const due_at = Math.max(at, webhook.paused_until)
    await ensureQueue(tx, { webhook_id: webhook.id, resource, account_id: webhook.account_id, due_at })
  }
  await insertDeliveries(tx, rows)
}

export function newDelivery(
  webhookId: Id<'webhook'>,
  { resource, seq, at }: { resource: string | null; seq: number; at: number },
) {
  const id = newId('delivery', at)
  return {
    id,
    webhook_id: webhookId,
    // A delivery that waits for no other has a queue of its own.
    resource: resource ?? id,
    seq,
    state: 'pending' as const,
    attempts: '[]',
    attempt_count: 0,
    created_at: at,
    finished_at: null,
  }
}
