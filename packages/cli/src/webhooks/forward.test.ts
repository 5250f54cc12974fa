import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { CommandError } from '../errors/command-error.ts'
import { listenSecret, readTarget, signedHeaders } from './forward.ts'

test('a port, a host and a URL are understood', () => {
  for (const [text, href] of [
    ['3000', 'http://127.0.0.1:3000/'],
    ['localhost:3000/hook', 'http://localhost:3000/hook'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['[::1]:3000/a?b=c', 'http://[::1]:3000/a?b=c'],
    ['https://127.0.0.1:3443/hook', 'https://127.0.0.1:3443/hook'],
  ] as const)
    assert.equal(readTarget(text).href, href)
})

test('what is no address, or has a password in it, is refused', () => {
  for (const text of ['', '99999', 'ftp://a', 'javascript://a', 'http://', 'http://a b', 'u:p@localhost:1'])
    assert.throws(() => readTarget(text), CommandError, text)
})

test('the reference library accepts the signature, and refuses it for another body or secret', () => {
  const secret = listenSecret('key-1')
  const message = { id: 'evt_1', body: '{"type":"é"}', at: Date.now() }
  const headers = signedHeaders(message, secret)
  assert.deepEqual(new Webhook(secret).verify(message.body, headers), { type: 'é' })
  assert.throws(() => new Webhook(secret).verify('{"type":"e"}', headers))
  assert.throws(() => new Webhook(listenSecret('key-2')).verify(message.body, headers))
  assert.equal(listenSecret('key-1'), secret)
})
