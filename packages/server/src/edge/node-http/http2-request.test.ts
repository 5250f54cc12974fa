import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStreamRequest } from './http2-request.ts'

const asked = { ':method': 'GET', ':scheme': 'https', ':path': '/a?b', ':authority': 'acme.com' }

test('a request is read from its pseudo-header fields', () => {
  const read = readStreamRequest(asked)
  assert.deepEqual([read?.method, read?.target, read?.host], ['GET', '/a?b', 'acme.com'])
  assert.equal(readStreamRequest({ ...asked, ':path': '*' })?.target, '*')
})

test('the Host field may replace or repeat the authority', () => {
  const { ':authority': host, ...without } = asked
  assert.equal(readStreamRequest({ ...without, host })?.host, host)
  assert.equal(readStreamRequest({ ...asked, host })?.host, host)
  assert.equal(readStreamRequest(without)?.host, '')
})

test('two hosts, another scheme, CONNECT and an invalid path make no request', () => {
  const { ':path': _path, ...withoutPath } = asked
  for (const headers of [
    { ...asked, host: 'evil.example' },
    { ...asked, ':scheme': 'http' },
    { ...asked, ':path': 'https://evil.example/' },
    { ...asked, ':path': '' },
    { ...withoutPath, ':method': 'CONNECT' },
  ]) {
    assert.equal(readStreamRequest(headers), null)
  }
})
