import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@masthead/client/problem-error.ts'
import { suspendedNames } from './suspended-names.ts'

function refused(code: 'domains_would_suspend' | 'billing_external', extra = {}) {
  return new ProblemError({
    type: code,
    title: code,
    status: 409,
    detail: '',
    code,
    requestId: 'req_1',
    ...extra,
  })
}

test('the names that a downgrade would suspend are read from its refusal', () => {
  assert.deepEqual(
    suspendedNames(refused('domains_would_suspend', { domains: ['acme.com', 'docs.acme.com'] })),
    ['acme.com', 'docs.acme.com'],
  )
})

test('a refusal without names is still one about domains', () => {
  assert.deepEqual(suspendedNames(refused('domains_would_suspend')), [])
})

test('another refusal is not about domains', () => {
  assert.equal(suspendedNames(refused('billing_external')), null)
  assert.equal(suspendedNames(new Error('no connection')), null)
})
