import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newSecret } from '../secrets.ts'
import { signedHeaders } from './sign.ts'

const body = JSON.stringify({
  type: 'webhook.test',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { name: 'é\n🙂' },
})
const message = { id: 'evt_06d8f2k4m9q1s7x3b5n0', at: Date.now(), body }

test('the reference library accepts the signature', () => {
  const secret = newSecret()
  assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/)
  assert.deepEqual(new Webhook(secret).verify(body, signedHeaders(message, [secret])), JSON.parse(body))
})

test('during a rotation it accepts the old secret and the new one', () => {
  const secrets = [newSecret(), newSecret()]
  const headers = signedHeaders(message, secrets)
  for (const secret of secrets) new Webhook(secret).verify(body, headers)
  assert.throws(() => new Webhook(newSecret()).verify(body, headers))
})

test('a changed body, id or time is refused', () => {
  const secret = newSecret()
  const headers = signedHeaders(message, [secret])
  const webhook = new Webhook(secret)
  assert.throws(() => webhook.verify(body.replace('test', 'best'), headers))
  assert.throws(() => webhook.verify(body, { ...headers, 'webhook-id': 'evt_other' }))
  const later = String(Number(headers['webhook-timestamp']) + 1)
  assert.throws(() => webhook.verify(body, { ...headers, 'webhook-timestamp': later }))
  assert.throws(() => webhook.verify(body, signedHeaders({ ...message, at: message.at - 600_000 }, [secret])))
})
