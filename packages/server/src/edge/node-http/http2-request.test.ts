import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badPathPage, twoHostsPage, wrongSchemePage } from '../assets/pages.ts'
import { noBody } from '../assets/reply.ts'
import { readStreamRequest } from './http2-request.ts'

const asked = { ':method': 'GET', ':scheme': 'https', ':path': '/a?b', ':authority': 'acme.com' }

test('a request is read from its pseudo-header fields', () => {
  assert.partialDeepStrictEqual(readStreamRequest(asked), { method: 'GET', target: '/a?b', host: 'acme.com' })
  assert.partialDeepStrictEqual(readStreamRequest({ ...asked, ':path': '*' }), { target: '*' })
})

test('the Host field may replace or repeat the authority', () => {
  const { ':authority': host, ...without } = asked
  assert.partialDeepStrictEqual(readStreamRequest({ ...without, host }), { host })
  assert.partialDeepStrictEqual(readStreamRequest({ ...asked, host }), { host })
  assert.partialDeepStrictEqual(readStreamRequest(without), { host: '' })
})

test('two hosts, another scheme, CONNECT and an invalid path are refused for what they are', () => {
  const { ':path': _path, ...withoutPath } = asked
  for (const [headers, page] of [
    [{ ...asked, host: 'evil.example' }, twoHostsPage],
    [{ ...asked, ':scheme': 'http' }, wrongSchemePage],
    [
      { ...asked, ':scheme': 'http', ':method': 'HEAD' },
      { ...wrongSchemePage, body: noBody },
    ],
    [{ ...asked, ':path': 'https://evil.example/' }, badPathPage],
    [{ ...asked, ':path': '' }, badPathPage],
    [{ ...withoutPath, ':method': 'CONNECT' }, badPathPage],
  ] as const) {
    assert.deepEqual(readStreamRequest(headers), page)
  }
})
