import { type EventType, events } from '@masthead/contract/events.ts'
import { type WebhookPayload, webhookPayload } from '@masthead/contract/webhooks/payload.ts'
import { testEventType, type WebhookFormat } from '@masthead/contract/webhooks/webhooks.ts'
import { isoTime } from '../../kernel/clock.ts'
import { printableText } from '../../kernel/escape-text.ts'

export interface EventContent {
  account_id: string
  type: string
  project_id: string | null
  actor_kind: string
  actor_id: string | null
  actor_name: string
  data: string
  at: number
}

export function payloadOf(event: EventContent): WebhookPayload {
  return webhookPayload(
    {
      type: event.type,
      at: isoTime(event.at),
      data: JSON.parse(event.data) as Record<string, unknown>,
      projectId: event.project_id,
      actor: { kind: event.actor_kind, id: event.actor_id, name: event.actor_name },
    },
    event.account_id,
  )
}

/** The body of the request. `payload` is the stored JSON. */
export function bodyIn(format: WebhookFormat, payload: string): string {
  if (format === 'standard') return payload
  const lines = describe(JSON.parse(payload) as WebhookPayload)
  if (format === 'slack') return JSON.stringify({ text: lines.map(escapeForSlack).join('\n') })
  // Names in an event must not notify anyone.
  return JSON.stringify({ content: lines.map(escapeForDiscord).join('\n'), allowed_mentions: { parse: [] } })
}

const maxDetails = 8

/** A sentence, then the details that people recognize. */
function describe({ type, data }: WebhookPayload): string[] {
  const { accountId: _, projectId: __, actor, ...details } = data
  const sentence =
    type === testEventType ? 'This is a test from Masthead' : (events[type as EventType] ?? type)
  const shown = Object.entries(details)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, maxDetails)
  return [
    `${sentence} (${printableText(actor.name)})`,
    ...shown.map(([key, value]) => `${printableText(key)}: ${printableText(String(value))}`),
  ]
}

/** https://docs.slack.dev/messaging/formatting-message-text: only these three characters control anything. */
function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escapeForDiscord(text: string): string {
  return text.replaceAll(/[\\*_~`|>#[\]()<]/g, '\\$&')
}
