/** Webhooks: what both sides need to know about them. Signatures follow https://www.standardwebhooks.com. */
export const webhookFormats = {
  standard: 'JSON with `type`, `timestamp` and `data`',
  slack: 'A message for a Slack incoming webhook',
  discord: 'A message for a Discord webhook',
} as const

export type WebhookFormat = keyof typeof webhookFormats
export const webhookFormatNames = Object.keys(webhookFormats) as [WebhookFormat, ...WebhookFormat[]]

export const deliveryStates = {
  pending: 'Waiting for its first or next attempt',
  delivered: 'The endpoint answered with a status from 200 to 299',
  failed: 'We gave up',
} as const

export type DeliveryState = keyof typeof deliveryStates
export const deliveryStateNames = Object.keys(deliveryStates) as [DeliveryState, ...DeliveryState[]]

/** Why nothing is sent to a webhook. */
export const disabledReasons = {
  paused: 'Someone paused it',
  failing: 'No delivery succeeded for five days',
  gone: 'The endpoint answered 410 Gone',
} as const

export type DisabledReason = keyof typeof disabledReasons
export const disabledReasonNames = Object.keys(disabledReasons) as [DisabledReason, ...DisabledReason[]]

/** The type of what "Send a test" sends. It is not part of the activity. */
export const testEventType = 'webhook.test'

export const webhookLimits = {
  perAccount: 10,
  urlLength: 2_000,
  /** Deliveries shown in the log, per webhook, and for how many days. */
  deliveriesKept: 500,
  daysKept: 7,
  /** How long we try to deliver an event. */
  hoursTried: 24,
  /** Without any success for this long, a webhook is disabled. */
  daysUntilDisabled: 5,
  /** How long the previous secret signs as well after a rotation. */
  hoursOfOverlap: 24,
  /** Former secrets that sign within these hours; more rotations end the oldest. */
  formerSecrets: 5,
} as const
