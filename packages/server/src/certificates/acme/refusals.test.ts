import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { minute } from '../../kernel/clock.ts'
import { AcmeProblem } from './problem.ts'
import { acmeError, refusal, type StubResponse, startStubCa } from './stub-ca.test-kit.ts'

const names = ['www.example.com']
const now = Date.parse('2026-08-01T12:00:00Z')

async function problemOfOrder(answer: StubResponse): Promise<AcmeProblem> {
  await using ca = await startStubCa(() => ({ '/new-order': answer }), { now: () => now })
  return await problemOf(ca.client.newOrder(ca.account, { names }))
}

async function problemOf(asked: Promise<unknown>): Promise<AcmeProblem> {
  const problem = await asked.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )
  assert.ok(problem instanceof AcmeProblem, String(problem))
  return problem
}

test('a rate limit says when to retry, in seconds or as a date', async () => {
  const document = { type: acmeError('rateLimited'), detail: 'too many certificates already issued' }
  const seconds = await problemOfOrder(refusal(429, document, { 'retry-after': '120' }))
  assert.equal(seconds.kind, 'rate_limited')
  assert.equal(seconds.status, 429)
  assert.equal(seconds.retryAt, now + 2 * minute)
  const date = await problemOfOrder(
    refusal(429, document, { 'retry-after': 'Sat, 01 Aug 2026 12:10:00 GMT' }),
  )
  assert.equal(date.retryAt, now + 10 * minute)
})

test('an already replaced certificate is distinguished from other conflicts', async () => {
  const problem = await problemOfOrder(
    refusal(409, { type: acmeError('alreadyReplaced'), detail: 'by another' }),
  )
  assert.equal(problem.kind, 'already_replaced')
})

test('a refusal because of CAA keeps the details for each name', async () => {
  const identifier = { type: 'dns', value: 'www.example.com' }
  const subproblems = [{ type: acmeError('caa'), detail: 'CAA record prevents issuance', identifier }]
  const problem = await problemOfOrder(refusal(403, { type: acmeError('compound'), subproblems }))
  assert.equal(problem.kind, 'caa')
  assert.deepEqual(problem.document?.subproblems, subproblems)
})

test('an error page without a problem document is classified by its status', async () => {
  const page = { headers: { 'content-type': 'text/html' }, body: '<h1>Sorry</h1>' }
  assert.equal((await problemOfOrder({ ...page, status: 503 })).kind, 'server_internal')
  assert.equal((await problemOfOrder({ ...page, status: 429 })).kind, 'rate_limited')
  assert.equal((await problemOfOrder({ ...page, status: 404 })).kind, 'invalid_answer')
})

test('what the CA does not find is distinguished from what it does not understand', async () => {
  const missing = { type: acmeError('malformed'), detail: 'No such order' }
  assert.equal((await problemOfOrder(refusal(404, missing))).kind, 'not_found')
  assert.equal((await problemOfOrder(refusal(400, missing))).kind, 'malformed')
  await using ca = await startStubCa(() => ({ '/thing': refusal(404, missing) }))
  const url = `${ca.url}/thing`
  for (const asked of [
    () => ca.client.readOrder(ca.account, url),
    () => ca.client.readAuthorization(ca.account, url),
    () => ca.client.answerChallenge(ca.account, { url }),
    () => ca.client.download(ca.account, url),
  ]) {
    assert.equal((await problemOf(asked())).kind, 'not_found')
  }
})

test('problems of the account are distinguished from a failed validation', async () => {
  for (const name of ['unauthorized', 'externalAccountRequired', 'userActionRequired']) {
    const problem = await problemOfOrder(refusal(403, { type: acmeError(name), detail: 'no' }))
    assert.equal(problem.kind, 'account_refused', name)
  }
})

test('after a lost or invalid response the order may exist', async () => {
  const mayBeDone = async (answer: Parameters<typeof startStubCa>[0]) => {
    await using ca = await startStubCa(answer, { timeoutMs: 300 })
    return (await problemOf(ca.client.newOrder(ca.account, { names }))).mayBeDone
  }
  assert.equal(await mayBeDone(() => ({ '/new-order': () => {} })), true, 'no response')
  assert.equal(await mayBeDone(() => ({ '/new-order': (response) => response.destroy() })), true, 'cut off')
  assert.equal(await mayBeDone(() => ({ '/new-order': { status: 201, body: 'what?' } })), true, 'nonsense')
  assert.equal(await mayBeDone(() => ({ '/new-order': { status: 503 } })), false, 'refused')
  assert.equal(await mayBeDone(() => ({ '/nonce': (response) => response.destroy() })), false, 'not sent')
})

test('if nothing listens, no order exists', async () => {
  const ca = await startStubCa(() => ({}))
  await ca.client.directory()
  await ca.client.readOrder(ca.account, `${ca.url}/nothing`).catch(() => {})
  await ca[Symbol.asyncDispose]()
  const problem = await problemOf(ca.client.newOrder(ca.account, { names }))
  assert.deepEqual([problem.kind, problem.mayBeDone], ['unreachable', false])
})

test('we give up on a CA that rejects every nonce', async () => {
  const answer = refusal(400, { type: acmeError('badNonce'), detail: 'no' })
  await using ca = await startStubCa(() => ({ '/new-order': answer }))
  assert.equal((await problemOf(ca.client.newOrder(ca.account, { names }))).kind, 'bad_nonce')
  assert.equal(ca.received.length, 20)
})

test('we give up sooner on one that takes long for that', async () => {
  const { status, headers, body } = refusal(400, { type: acmeError('badNonce'), detail: 'no' })
  const answerSlowly = (response: ServerResponse) => {
    setTimeout(() => response.writeHead(status ?? 0, headers).end(JSON.stringify(body)), 400)
  }
  await using ca = await startStubCa(() => ({ '/new-order': answerSlowly }), { timeoutMs: 1000 })
  await problemOf(ca.client.newOrder(ca.account, { names }))
  assert.ok(ca.received.length <= 3, `${ca.received.length}`)
})

test('an order says which certificate it replaces if the CA supports ARI', async () => {
  const body = (url: string) => ({
    status: 'pending',
    identifiers: [],
    authorizations: [],
    finalize: `${url}/f`,
  })
  await using ca = await startStubCa((url) => ({
    '/new-order': { status: 201, headers: { location: '/order/7', 'retry-after': '3' }, body: body(url) },
  }))
  const order = await ca.client.newOrder(ca.account, {
    names,
    replaces: 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE',
  })
  assert.equal(order.url, `${ca.url}/order/7`)
  assert.deepEqual(ca.received[0]?.payload, {
    identifiers: [{ type: 'dns', value: 'www.example.com' }],
    replaces: 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE',
  })
})
