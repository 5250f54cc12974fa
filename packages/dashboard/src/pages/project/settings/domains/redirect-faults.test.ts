import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@masthead/client/problem-error.ts'
import { forEntry } from './redirect-faults.ts'

function refused(...errors: { path: string; message: string }[]) {
  const code = 'domain_config_invalid'
  return new ProblemError({
    type: code,
    title: code,
    status: 422,
    detail: '',
    code,
    requestId: 'req_1',
    errors,
  })
}

test('a refusal of the edited redirect stays beside its fields', () => {
  const error = refused({ path: 'domains.redirects.1.to', message: 'acme.com would redirect to itself' })
  assert.equal(forEntry(error, 1), error)
})

test('a refusal because of another redirect is told as a sentence', () => {
  const error = refused({
    path: 'domains.redirects.0.to',
    message: 'acme.com redirects itself; name the domain where it ends',
  })
  const told = forEntry(error, 1)
  assert.ok(told instanceof Error && !(told instanceof ProblemError))
  assert.equal(told.message, 'acme.com redirects itself; name the domain where it ends.')
})

test('any other failure is left as it is', () => {
  const error = new Error('no connection')
  assert.equal(forEntry(error, 0), error)
})
