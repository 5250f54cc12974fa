import type { Delivery, Webhook } from '@masthead/contract/schemas/webhook.ts'
import { disabledReasons, webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'

type Tone = 'live' | 'waiting' | 'stopped' | 'idle'

export interface WebhookState {
  tone: Tone
  word: string
  /** What that means, and what to do. */
  explanation: string | null
}

export function webhookState({ state, disabledReason }: Webhook): WebhookState {
  if (state === 'active') return { tone: 'live', word: 'Active', explanation: null }
  if (state === 'failing') {
    return {
      tone: 'waiting',
      word: 'Failing',
      explanation: `Events are kept and sent again for ${webhookLimits.hoursTried} hours. See below how the endpoint answers.`,
    }
  }
  if (disabledReason === 'paused') {
    return { tone: 'idle', word: 'Paused', explanation: 'Events of this time are not sent later.' }
  }
  const why = disabledReason === null ? 'It is disabled' : disabledReasons[disabledReason]
  return { tone: 'stopped', word: 'Disabled', explanation: `${why}. Enable it once the endpoint works.` }
}

/** What happens to a webhook that nobody repairs. */
export function failureWords(sendsMail: boolean): string {
  const disabled = `A webhook that fails for ${webhookLimits.daysUntilDisabled} days is disabled.`
  return sendsMail
    ? `${disabled} Owners of the account then get an email.`
    : `${disabled} This server sends no email, so look here or in the activity.`
}

export function eventsWords(events: Webhook['events']): string {
  if (events === null) return 'All events'
  return events.join(', ')
}

export function deliveryState({ state }: Pick<Delivery, 'state'>): { tone: Tone; word: string } {
  if (state === 'delivered') return { tone: 'live', word: 'Delivered' }
  return state === 'failed' ? { tone: 'stopped', word: 'Given up' } : { tone: 'waiting', word: 'Waiting' }
}

/** `200 after 35 ms`, `The connection was refused`, with the number of attempts if there were several. */
export function lastAnswer({ attempts, attemptCount }: Pick<Delivery, 'attempts' | 'attemptCount'>): string {
  const last = attempts.at(-1)
  if (last === undefined) return 'Not sent yet'
  const answer = last.status === null ? (last.error ?? 'No answer') : `${last.status} after ${last.ms} ms`
  return attemptCount > 1 ? `${answer} (attempt ${attemptCount})` : answer
}
