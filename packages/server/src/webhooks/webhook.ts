import type { EventType } from '@masthead/contract/events.ts'
import type { Delivery, Webhook } from '@masthead/contract/schemas/webhook.ts'
import { isoTime, isoTimeOrNull } from '../kernel/clock.ts'
import { bodyIn } from './delivery/body.ts'
import type { DeliveryRow, WebhookRow } from './store.ts'

export type Attempt = Delivery['attempts'][number]

export function toWebhook(row: WebhookRow, now: number): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: row.events === null ? null : (JSON.parse(row.events) as EventType[]),
    format: row.format,
    state: row.disabled_at !== null ? 'disabled' : row.failing_since !== null ? 'failing' : 'active',
    disabledReason: row.disabled_reason,
    failingSince: isoTimeOrNull(row.failing_since),
    deliveredAt: isoTimeOrNull(row.delivered_at),
    previousSecretUntil: row.previous_until > now ? isoTime(row.previous_until) : null,
    createdAt: isoTime(row.created_at),
    responsible: row.responsible_id,
  }
}

export function toDelivery(row: DeliveryRow, { format }: Pick<WebhookRow, 'format'>): Delivery {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    state: row.state,
    createdAt: isoTime(row.created_at),
    finishedAt: isoTimeOrNull(row.finished_at),
    attemptCount: row.attempt_count,
    attempts: JSON.parse(row.attempts) as Attempt[],
    request: { id: messageId(row), body: bodyIn(format, row.payload) },
  }
}

/** The `webhook-id`: the same for every attempt and every resend, so that a receiver recognizes a repetition. */
export function messageId({ event_id, id }: Pick<DeliveryRow, 'event_id' | 'id'>): string {
  return event_id ?? id
}
