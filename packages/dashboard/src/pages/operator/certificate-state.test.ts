import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateState } from './certificate-state.ts'

const now = Date.parse('2026-11-15T12:00:00Z')
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString()
const lastError = {
  kind: 'caa_forbids',
  at: inDays(0),
  authority: "Let's Encrypt",
  message: 'A CAA record forbids it.',
  hint: 'Add a record.',
  said: null,
  problem: null,
  add: null,
}

function wordOf(status: 'none' | 'pending' | 'valid' | 'failed', days: number | null, failed = false) {
  const notAfter = days === null ? null : inDays(days)
  return certificateState({ status, notAfter, lastError: failed ? lastError : null }, now).word
}

test('a certificate is valid, and expires soon with less than three days left', () => {
  assert.equal(wordOf('valid', 60), 'Valid')
  assert.equal(wordOf('valid', 2), 'Expires soon')
})

test('an expired certificate is expired, whatever its renewal does', () => {
  assert.equal(wordOf('valid', -1), 'Expired')
  assert.equal(wordOf('failed', -1, true), 'Expired')
})

test('a failing renewal does not make a valid certificate a failed one', () => {
  assert.equal(wordOf('valid', 20, true), 'Renewal failing')
})

test('a first certificate is pending until an attempt fails', () => {
  assert.equal(wordOf('pending', null), 'Pending')
  assert.equal(wordOf('failed', null, true), 'Failed')
})
