import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Webhook } from '@masthead/contract/schemas/webhook.ts'
import { disabledReasonNames } from '@masthead/contract/webhooks/webhooks.ts'
import { deliveryState, eventsWords, failureWords, lastAnswer, webhookState } from './webhook-words.ts'

const webhook = (state: Webhook['state'], disabledReason: Webhook['disabledReason'] = null) =>
  webhookState({ state, disabledReason } as Webhook)

test('a state says what happens to events, and what to do about a disabled webhook', () => {
  assert.deepEqual(webhook('active'), { tone: 'live', word: 'Active', explanation: null })
  assert.match(webhook('failing').explanation ?? '', /sent again for 24 hours/)
  assert.equal(webhook('disabled', 'paused').word, 'Paused')
  for (const reason of disabledReasonNames.filter((name) => name !== 'paused')) {
    assert.match(webhook('disabled', reason).explanation ?? '', /\. Enable it once the endpoint works\.$/)
  }
})

test('it is said whether owners get an email', () => {
  assert.match(failureWords(true), /for 5 days is disabled\. Owners.*email/)
  assert.match(failureWords(false), /no email/)
})

test('an answer is shown with its time, a failure with its reason, several attempts with their number', () => {
  const attempt = { at: '', ms: 35, status: 200, error: null, answer: '' }
  const refused = { ...attempt, status: null, error: 'The connection was refused' }
  assert.equal(lastAnswer({ attempts: [], attemptCount: 0 }), 'Not sent yet')
  assert.equal(lastAnswer({ attempts: [attempt], attemptCount: 1 }), '200 after 35 ms')
  assert.equal(
    lastAnswer({ attempts: [attempt, refused], attemptCount: 7 }),
    'The connection was refused (attempt 7)',
  )
  assert.equal(deliveryState({ state: 'failed' }).word, 'Given up')
  assert.equal(eventsWords(null), 'All events')
  assert.equal(eventsWords(['key.created', 'key.revoked']), 'key.created, key.revoked')
})
