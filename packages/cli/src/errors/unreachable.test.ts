import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError } from '@masthead/client/errors.ts'
import { describeUnreachable } from './unreachable.ts'

const failed = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more })
const fetchFailed = (cause: Error) =>
  new ConnectionError('https://masthead.example', new TypeError('fetch failed', { cause }))

test('every address that was tried is named with its reason, once', () => {
  const refused = (address: string) => failed('ECONNREFUSED', { address, port: 443 })
  const both = new AggregateError([refused('203.0.113.7'), refused('2001:db8::1'), refused('203.0.113.7')])
  assert.deepEqual(describeUnreachable(fetchFailed(both), false), {
    tried: 'Tried 203.0.113.7:443: connection refused.\nTried [2001:db8::1]:443: connection refused.',
    fix: 'Check the address, or choose another with --server or MASTHEAD_SERVER.',
  })
})

test('names that are not found, and certificates that are not trusted, are told apart', () => {
  const { tried } = describeUnreachable(
    fetchFailed(failed('ENOTFOUND', { hostname: 'masthead.example' })),
    false,
  )
  assert.equal(tried, 'Tried masthead.example: the name is not in DNS.')
  const untrusted = describeUnreachable(fetchFailed(failed('SELF_SIGNED_CERT_IN_CHAIN')), true)
  assert.equal(untrusted.tried, 'Tried masthead.example: this machine does not trust its certificate.')
  assert.match(untrusted.fix, /NODE_EXTRA_CA_CERTS.*https:\/\/masthead\.example\/cli/)
})

test('an unknown reason is shown as it is, and no reason is none', () => {
  assert.equal(describeUnreachable(fetchFailed(failed('ENEW')), false).tried, 'Tried masthead.example: ENEW.')
  assert.equal(describeUnreachable(new ConnectionError('http://localhost:8080', null), true).tried, '')
})
