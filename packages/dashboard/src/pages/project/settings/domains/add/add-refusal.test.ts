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
  const { what, fix, way } = addRefusal(
    refusal('domain_on_other_project', 'acme.com is on the project blog.'),
  )
  assert.equal(way, 'move')
  assert.equal(what, 'acme.com is on the project blog.')
  assert.match(fix, /^It can move here as it is/)
})

test('every refusal that has a way on offers it', () => {
  const ways = (
    ['domain_exists', 'domain_limit_reached', 'deployment_required', 'plan_required'] as const
  ).map((code) => addRefusal(refusal(code, 'So it is.')).way)
  assert.deepEqual(ways, ['open', 'plan', 'publish', 'plan'])
})

test("a name that cannot be added is told in the API's words, once", () => {
  const detail = '"acme" is a single label; a domain has at least two, such as acme.com.'
  assert.deepEqual(addRefusal(refusal('hostname_invalid', detail)), { what: detail, fix: '', way: null })
})

test('what is not about the domain is told as it is', () => {
  const { what, way } = addRefusal(new ConnectionError('http://localhost', null))
  assert.equal(what, 'Could not reach http://localhost: is the server running?')
  assert.equal(way, null)
})
