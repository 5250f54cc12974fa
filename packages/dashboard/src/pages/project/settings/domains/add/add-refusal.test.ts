import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError, ProblemError } from '@masthead/client/errors.ts'
import { type ProblemCode, problems } from '@masthead/contract/problems.ts'
import { addRefusal } from './add-refusal.ts'

function refusal(code: ProblemCode, detail: string) {
  const { status, title } = problems[code]
  return new ProblemError({ type: code, title, status, detail, code, requestId: 'req_1' })
}

test('a domain of another project can be moved', () => {
  const { what, fix, next } = addRefusal(
    refusal('domain_on_other_project', 'acme.com is on the project blog.'),
  )
  assert.equal(next, 'move')
  assert.equal(what, 'acme.com is on the project blog.')
  assert.match(fix, /^You can move it here/)
})

test('every error with a next action offers it', () => {
  const nexts = (
    ['domain_exists', 'domain_limit_reached', 'deployment_required', 'plan_required'] as const
  ).map((code) => addRefusal(refusal(code, 'So it is.')).next)
  assert.deepEqual(nexts, ['open', 'plan', 'publish', 'plan'])
})

test('an invalid domain is explained once, in the words of the API', () => {
  const detail = '"acme" is a single label; a domain has at least two, such as acme.com.'
  assert.deepEqual(addRefusal(refusal('hostname_invalid', detail)), { what: detail, fix: '', next: null })
})

test('an error that is not about the domain is shown as it is', () => {
  const { what, next } = addRefusal(new ConnectionError('http://localhost', null))
  assert.equal(what, 'Could not reach http://localhost.')
  assert.equal(next, null)
})
