import { z } from 'zod'
import { eventTypes } from '../events.ts'
import {
  deliveryStateNames,
  disabledReasonNames,
  webhookFormatNames,
  webhookLimits,
} from '../webhooks/webhooks.ts'
import { idSchema } from './fields.ts'

const url = z
  .string()
  .trim()
  .min(1)
  .max(webhookLimits.urlLength)
  .meta({
    description: 'Where events are sent; https only',
    examples: ['https://example.com/hooks/masthead'],
  })

const eventFilter = z
  .array(z.enum(eventTypes))
  .min(1)
  .max(eventTypes.length)
  .nullable()
  .meta({ description: 'The event types to send; null means all, also those that future versions add' })

const format = z.enum(webhookFormatNames).meta({
  description: 'The shape of the body: `standard` JSON, or a message for Slack or Discord',
})

export const webhook = z
  .object({
    id: idSchema('webhook'),
    url: z.string(),
    events: eventFilter,
    format,
    state: z.enum(['active', 'failing', 'disabled']),
    disabledReason: z.enum(disabledReasonNames).nullable(),
    failingSince: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The first failure since the last success' }),
    deliveredAt: z.iso.datetime().nullable().meta({ description: 'The last successful delivery' }),
    previousSecretUntil: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Until then, requests are also signed with the secret before the rotation' }),
    createdAt: z.iso.datetime(),
    responsible: idSchema('person').nullable().meta({
      description: "Who chose the address: it ends with this person's membership, unless it is kept",
    }),
  })
  .meta({ id: 'Webhook' })

export const createdWebhook = webhook
  .extend({
    secret: z.string().meta({ description: 'For verifying signatures (`whsec_…`); shown only once' }),
  })
  .meta({ id: 'CreatedWebhook' })

export const newWebhook = z.strictObject({
  url,
  events: eventFilter.default(null),
  format: format.default('standard'),
})

export const webhookChange = z.strictObject({
  url: url.optional(),
  events: eventFilter.optional(),
  format: format.optional(),
  enabled: z
    .boolean()
    .optional()
    .meta({ description: '`false` pauses it: events of that time are not sent later' }),
})

export const delivery = z
  .object({
    id: idSchema('delivery'),
    eventId: idSchema('event').nullable().meta({ description: 'Null for a test' }),
    type: z.string(),
    state: z.enum(deliveryStateNames),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    attemptCount: z.number().int().min(0).max(1_000_000),
    attempts: z
      .array(
        z.object({
          at: z.iso.datetime(),
          ms: z.number().int().min(0).max(1_000_000).meta({ description: 'How long it took' }),
          status: z
            .number()
            .int()
            .min(0)
            .max(999)
            .nullable()
            .meta({ description: 'Null if there was no answer' }),
          error: z.string().nullable(),
          answer: z
            .string()
            .nullable()
            .meta({ description: 'The start of the answer; kept for the latest attempt only' }),
        }),
      )
      .meta({ description: 'The latest attempts, oldest first' }),
    request: z.object({
      id: z.string().meta({ description: 'The `webhook-id` header' }),
      body: z.string(),
    }),
  })
  .meta({ id: 'Delivery' })

export type Webhook = z.infer<typeof webhook>
export type CreatedWebhook = z.infer<typeof createdWebhook>
export type NewWebhook = z.infer<typeof newWebhook>
export type WebhookUpdate = z.infer<typeof webhookChange>
export type Delivery = z.infer<typeof delivery>
