import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour, minute } from '../../kernel/clock.ts'
import type { Authorization, Challenge } from './authorization.ts'
import { nextStep, type OrderSituation } from './next-step.ts'
import type { Order } from './order.ts'

const now = Date.parse('2026-08-01T12:00:00Z')

const pendingOrder: Order = {
  url: 'https://ca.example/order/1',
  status: 'pending',
  expires: now + hour,
  identifiers: [{ type: 'dns', value: 'www.example.com' }],
  authorizations: ['https://ca.example/authorization/1'],
  finalize: 'https://ca.example/order/1/finalize',
  retryAt: null,
}
const http: Challenge = { type: 'http-01', url: 'https://ca.example/c/1', status: 'pending', token: 'one' }
const tls: Challenge = { type: 'tls-alpn-01', url: 'https://ca.example/c/2', status: 'pending', token: 'two' }
const pendingAuthorization: Authorization = {
  url: 'https://ca.example/authorization/1',
  status: 'pending',
  expires: now + hour,
  identifier: { type: 'dns', value: 'www.example.com' },
  challenges: [http, tls],
  retryAt: null,
}

function next(
  order: Partial<Order> | null,
  authorization: Partial<Authorization> = {},
  more: Partial<OrderSituation> = {},
) {
  return nextStep({
    order: order === null ? null : { ...pendingOrder, ...order },
    authorizations: [{ ...pendingAuthorization, ...authorization }],
    solvable: ['http-01', 'tls-alpn-01'],
    placedAt: now,
    now,
    ...more,
  })
}

function problemOf(step: ReturnType<typeof next>) {
  return step.step === 'failed' ? step.problem : assert.fail(`not failed but ${step.step}`)
}

test('without an order, a new one is placed', () => {
  assert.deepEqual(next(null), { step: 'new' })
})

test('the preferred challenge among those offered is used', () => {
  const name = 'www.example.com'
  assert.deepEqual(next({}), { step: 'challenge', challenges: [{ name, challenge: http }] })
  const answer = next({}, {}, { solvable: ['tls-alpn-01'] })
  assert.deepEqual(answer, { step: 'challenge', challenges: [{ name, challenge: tls }] })
})

test('a challenge we responded to is waited for, whatever status the CA gives it', () => {
  assert.equal(next({}, {}, { answered: new Set([http.url]) }).step, 'wait')
  assert.equal(next({}, { challenges: [{ ...http, status: 'processing' }, tls] }).step, 'wait')
})

test('the wait is as long as the CA asks for', () => {
  const answered = new Set([http.url])
  assert.deepEqual(next({}, {}, { answered }), { step: 'wait', retryAt: null })
  assert.deepEqual(next({}, { retryAt: now + minute }, { answered }), { step: 'wait', retryAt: now + minute })
  assert.deepEqual(next({ status: 'processing', retryAt: now + 2 }), { step: 'wait', retryAt: now + 2 })
})

test('a name that is already validated needs no challenge', () => {
  assert.equal(next({}, { status: 'valid' }).step, 'wait')
})

test('a ready order is finalized and a valid one downloaded', () => {
  assert.deepEqual(next({ status: 'ready' }), { step: 'finalize' })
  const certificate = 'https://ca.example/certificate/1'
  assert.deepEqual(next({ status: 'valid', certificate }), { step: 'download', url: certificate })
})

test('an order that was finalized is waited for, although the CA still calls it ready', () => {
  assert.equal(next({ status: 'ready' }, {}, { isFinalized: true }).step, 'wait')
  assert.deepEqual(next({ status: 'ready', expires: now }, {}, { isFinalized: true }), { step: 'new' })
})

test('an expired order is replaced by a new one', () => {
  for (const status of ['pending', 'ready', 'processing', 'valid', 'invalid'] as const) {
    assert.deepEqual(next({ status, expires: now }), { step: 'new' })
  }
})

test('an order with a lost authorization is replaced by a new one', () => {
  for (const status of ['expired', 'deactivated', 'revoked'] as const) {
    assert.deepEqual(next({}, { status }), { step: 'new' })
  }
})

test('a failed challenge fails the order with what the CA saw', () => {
  const error = { type: 'urn:ietf:params:acme:error:dns', detail: 'SERVFAIL looking up A' }
  const failed = {
    status: 'invalid' as const,
    challenges: [tls, { ...http, status: 'invalid' as const, error }],
  }
  for (const status of ['pending', 'invalid'] as const) {
    const problem = problemOf(next({ status }, failed))
    assert.equal(problem.kind, 'dns')
    assert.deepEqual(problem.document, error)
  }
})

test('an order that the CA failed reports the reason, if there is one', () => {
  const error = { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA forbids' }
  assert.equal(problemOf(next({ status: 'invalid', error }, { status: 'valid' })).kind, 'caa')
  assert.equal(problemOf(next({ status: 'invalid' }, { status: 'valid' })).kind, 'other')
  assert.equal(problemOf(next({}, { status: 'invalid' })).kind, 'unauthorized')
})

test('a name without a supported challenge fails immediately', () => {
  assert.match(problemOf(next({}, { challenges: [] })).message, /www\.example\.com/)
})
