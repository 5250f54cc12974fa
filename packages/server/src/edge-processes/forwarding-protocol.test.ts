import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ForwardedClient,
  forwardedRequestHeaders,
  forwardedResponseHeaders,
  hasBody,
  longestPreface,
  readPreface,
  writePreface,
} from './forwarding-protocol.ts'

const clients: ForwardedClient[] = [
  { scheme: 'http', address: '127.0.0.1' },
  { scheme: 'https', address: '2001:db8::7' },
  { scheme: 'https', address: '::ffff:192.0.2.7' },
  { scheme: 'http', address: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%enp0s31f6.4094' },
]
for (const client of clients) {
  test(`${client.address} over ${client.scheme} is read as it was written`, () => {
    const line = writePreface(client)
    assert.ok(line.length <= longestPreface)
    assert.deepEqual(readPreface(line.trimEnd()), client)
  })
}

const refused = ['', 'http', 'http ', 'ftp 127.0.0.1', 'http 127.0.0.1 ', 'http localhost', 'GET / HTTP/1.1']
for (const line of refused) {
  test(`${JSON.stringify(line)} is no preface`, () => {
    assert.equal(readPreface(line), null)
  })
}

function message(rawHeaders: string[], more: { method?: string; httpVersionMajor?: number } = {}) {
  const headers: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers[(rawHeaders[at] ?? '').toLowerCase()] = rawHeaders[at + 1] ?? ''
  }
  return { method: 'GET', httpVersionMajor: 1, readableEnded: false, ...more, headers, rawHeaders }
}

test('hop-by-hop headers are dropped, all others are forwarded in order and unchanged', () => {
  const raw = ['Host', 'a', 'CONNECTION', 'close', 'Upgrade', 'x', 'Te', 'trailers', 'X-A', '1', 'x-a', '2']
  assert.deepEqual(forwardedRequestHeaders(message(raw)), ['Host', 'a', 'X-A', '1', 'x-a', '2'])
})

test('a body of unknown length is chunked, even where node would not frame it', () => {
  for (const method of ['GET', 'DELETE', 'POST']) {
    const request = message(['Host', 'a', 'transfer-encoding', 'Chunked'], { method })
    assert.deepEqual(forwardedRequestHeaders(request), ['Host', 'a', 'Transfer-Encoding', 'chunked'])
    assert.ok(hasBody(request))
  }
})

test('a body of known length keeps it', () => {
  const request = message(['Host', 'a', 'Content-Length', '3'], { method: 'DELETE' })
  assert.deepEqual(forwardedRequestHeaders(request), ['Host', 'a', 'Content-Length', '3'])
  assert.ok(hasBody(request))
})

test('no body stays no body', () => {
  assert.deepEqual(forwardedRequestHeaders(message(['Host', 'a'])), ['Host', 'a'])
  const post = message(['Host', 'a'], { method: 'POST' })
  assert.deepEqual(forwardedRequestHeaders(post), ['Host', 'a', 'Content-Length', '0'])
  assert.ok(!hasBody(post))
})

test('pseudo-header fields of HTTP/2 become those of HTTP/1.1', () => {
  const raw = [':method', 'GET', ':path', '/', ':authority', 'a:8443', ':scheme', 'https', 'x-a', '1']
  const request = { ...message(raw, { httpVersionMajor: 2 }), readableEnded: true }
  assert.deepEqual(forwardedRequestHeaders(request), ['x-a', '1', 'Host', 'a:8443'])
})

test('Connection: close is forwarded to HTTP/1.1 clients', () => {
  const answer = message(['Connection', 'close', 'Transfer-Encoding', 'chunked', 'X-A', '1'])
  assert.deepEqual(forwardedResponseHeaders(answer, message([])), ['X-A', '1', 'Connection', 'close'])
  assert.deepEqual(forwardedResponseHeaders(answer, message([], { httpVersionMajor: 2 })), ['X-A', '1'])
})
