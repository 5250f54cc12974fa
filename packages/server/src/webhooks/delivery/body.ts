import { type EventType, events } from '@masthead/contract/events.ts'
import { testEventType, type WebhookFormat } from '@masthead/contract/webhooks/webhooks.ts'
import { isoTime } from '../../kernel/clock.ts'
import { printableText } from '../../kernel/escape-text.ts'

/** What a webhook is told about an event. Stored with each delivery. */
export interface Payload {
  type: string
  timestamp: string
  data: {
    accountId: string
    projectId: string | null
    actor: { kind: string; id: string | null; name: string }
    [detail: string]: unknown
  }
}

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

export function payloadOf(event: EventContent): Payload {
  return {
    type: event.type,
    timestamp: isoTime(event.at),
    data: {
      ...(JSON.parse(event.data) as Record<string, unknown>),
      accountId: event.account_id,
      projectId: event.project_id,
      actor: { kind: event.actor_kind, id: event.actor_id, name: event.actor_name },
    },
  }
}

/** The body of the request. `payload` is the stored JSON. */
export function bodyIn(format: WebhookFormat, payload: string): string {
  if (format === 'standard') return payload
  const lines = describe(JSON.parse(payload) as Payload)
  if (format === 'slack') return JSON.stringify({ text: lines.map(escapeForSlack).join('\n') })
  // Names in an event must not notify anyone.
  return JSON.stringify({ content: lines.map(escapeForDiscord).join('\n'), allowed_mentions: { parse: [] } })
}

const maxDetails = 8

/** A sentence, then the details that people recognize. */
function describe({ type, data }: Payload): string[] {
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
