import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasBody, requestHeaders, responseHeaders } from './passed-headers.ts'

function message(rawHeaders: string[], more: { method?: string; httpVersionMajor?: number } = {}) {
  const headers: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers[(rawHeaders[at] ?? '').toLowerCase()] = rawHeaders[at + 1] ?? ''
  }
  return { method: 'GET', httpVersionMajor: 1, readableEnded: false, ...more, headers, rawHeaders }
}

test('what is about one connection stays on it, all else is passed on in its order and spelling', () => {
  const raw = ['Host', 'a', 'CONNECTION', 'close', 'Upgrade', 'x', 'Te', 'trailers', 'X-A', '1', 'x-a', '2']
  assert.deepEqual(requestHeaders(message(raw)), ['Host', 'a', 'X-A', '1', 'x-a', '2'])
})

test('a body of unknown length is chunked, also where node would send it without an end', () => {
  for (const method of ['GET', 'DELETE', 'POST']) {
    const request = message(['Host', 'a', 'transfer-encoding', 'Chunked'], { method })
    assert.deepEqual(requestHeaders(request), ['Host', 'a', 'Transfer-Encoding', 'chunked'])
    assert.ok(hasBody(request))
  }
})

test('a body of known length keeps it', () => {
  const request = message(['Host', 'a', 'Content-Length', '3'], { method: 'DELETE' })
  assert.deepEqual(requestHeaders(request), ['Host', 'a', 'Content-Length', '3'])
  assert.ok(hasBody(request))
})

test('no body stays no body', () => {
  assert.deepEqual(requestHeaders(message(['Host', 'a'])), ['Host', 'a'])
  const post = message(['Host', 'a'], { method: 'POST' })
  assert.deepEqual(requestHeaders(post), ['Host', 'a', 'Content-Length', '0'])
  assert.ok(!hasBody(post))
})

test('the fields that only HTTP/2 has become those of HTTP/1.1', () => {
  const raw = [':method', 'GET', ':path', '/', ':authority', 'a:8443', ':scheme', 'https', 'x-a', '1']
  const request = { ...message(raw, { httpVersionMajor: 2 }), readableEnded: true }
  assert.deepEqual(requestHeaders(request), ['x-a', '1', 'Host', 'a:8443'])
})

test('an answer that ends its connection ends the client’s, where the protocol has that', () => {
  const answer = message(['Connection', 'close', 'Transfer-Encoding', 'chunked', 'X-A', '1'])
  assert.deepEqual(responseHeaders(answer, message([])), ['X-A', '1', 'Connection', 'close'])
  assert.deepEqual(responseHeaders(answer, message([], { httpVersionMajor: 2 })), ['X-A', '1'])
})
