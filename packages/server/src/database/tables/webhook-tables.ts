import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { DeliveryState, DisabledReason, WebhookFormat } from '@masthead/contract/webhooks/webhooks.ts'
import type { Generated } from 'kysely'

/** Webhooks, the events they have not got yet, and what became of the others. */
export interface WebhookTables {
  webhooks: {
    id: Id<'webhook'>
    account_id: Id<'account'>
    url: string
    format: WebhookFormat
    /** JSON of the event types to send; null: all. */
    events: string | null
    sealed_secret: string
    /** Also signs until `previous_until`, so that a receiver can change its secret without losing events. */
    sealed_previous_secret: string | null
    previous_until: number
    /** JSON of those before it that still sign, and until when. */
    sealed_older_secrets: string | null
    created_at: number
    disabled_at: number | null
    disabled_reason: DisabledReason | null
    /** Failed attempts in a row, whatever the resource, and when the first of them was. */
    failures: number
    failing_since: number | null
    /** The circuit breaker: nothing is sent before. */
    paused_until: number
    delivered_at: number | null
    /** The person who chose the address: the webhook ends with their membership. */
    responsible_id: Id<'person'> | null
  }
  /** Events that no worker has passed on to the webhooks of the account yet. */
  webhook_outbox: { seq: Generated<number>; account_id: Id<'account'>; event_id: Id<'event'> }
  webhook_deliveries: {
    id: Id<'delivery'>
    webhook_id: Id<'webhook'>
    /** Null: a test. */
    event_id: Id<'event'> | null
    type: string
    /** Deliveries of one webhook and resource are sent one after the other, by `seq`. */
    resource: string
    seq: number
    payload: string
    state: DeliveryState
    /** JSON of the latest attempts, as shown by the API. */
    attempts: string
    attempt_count: number
    created_at: number
    finished_at: number | null
  }
  /** One row for every webhook and resource with pending deliveries. */
  webhook_queues: {
    webhook_id: Id<'webhook'>
    resource: string
    account_id: Id<'account'>
    due_at: number
    lease_owner: string | null
    lease_until: number
  }
}
