import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decryptResponse, encryptResponse } from './idempotency-encryption.ts'

test('a stored response decrypts for the same credential and key only', () => {
  const stored = encryptResponse({ secret: 'mh_example' }, 'mh_caller', 'one')
  assert.deepEqual(decryptResponse(stored, 'mh_caller', 'one'), { secret: 'mh_example' })
  assert.throws(() => decryptResponse(stored, 'mh_other', 'one'))
  assert.throws(() => decryptResponse(stored, 'mh_caller', 'two'))
})

test('a response without a body comes back without one', () => {
  assert.equal(decryptResponse(encryptResponse(undefined, 'mh_caller', 'one'), 'mh_caller', 'one'), undefined)
})

test('a response stored before encryption moved to secrets/ still decrypts', () => {
  const stored = 's7/pdKEY0f51PqXPLBZB12k9I6UiCKZ12+ZBk5hHEMlCaAwmJogqtF9juFFlxtsmPBZs/bHUeSxnUZhI1WjxLg=='
  assert.deepEqual(decryptResponse(stored, 'mh_caller', 'one'), { id: 'key_1', secret: 'mh_example' })
})
