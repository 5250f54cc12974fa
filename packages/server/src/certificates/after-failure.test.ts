import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute } from '../clock.ts'
import { afterFailure, type CertificateError, type FailedAttempt } from './after-failure.ts'
import type { Failure, FailureKind } from './failure.ts'
import type { JobChange, JobRow } from './job-store.ts'
import { ladders } from './ladders.ts'

const now = Date.UTC(2030, 0, 1)

const job: JobRow = {
  name: 'www.acme.test',
  reason: 'first',
  issuer: 'https://ca.example/directory',
  order_url: 'https://ca.example/order/1',
  sealed_key: 'sealed',
  challenge_kind: 'http-01',
  replaces: 'an.id',
  attempts: 0,
  rung: 0,
  problem_kind: null,
  last_error: null,
  next_attempt_at: now,
  asked_at: now,
  lease_owner: 'somebody',
  lease_until: now,
  created_at: now,
}

interface Circumstances extends Partial<Pick<FailedAttempt, 'orderIsOver' | 'askedMeanwhile'>> {
  row?: JobRow
  retryAt?: number
}

function after(kind: FailureKind, { row = job, retryAt, ...more }: Circumstances = {}): JobChange {
  const failure: Failure = { kind, message: 'It failed.', document: null, retryAt: retryAt ?? null }
  const failed = { failure, orderIsOver: false, authority: 'A CA', askedMeanwhile: false, ...more }
  return afterFailure(row, failed, now, 0)
}

/** The waits of one failure after the other. */
function waits(kinds: readonly FailureKind[]): (number | null)[] {
  let row = job
  return kinds.map((kind) => {
    row = { ...row, ...after(kind, { row }) }
    return row.next_attempt_at === null ? null : row.next_attempt_at - now
  })
}

test('the same failure again and again is waited for longer and longer, up to the last step', () => {
  const connection = Array.from({ length: 11 }, () => 'connection' as const)
  const steps = [1 / 6, 1 / 2, 1, 5, 15, 30, 60, 180, 360, 360, 360].map((minutes) => minutes * minute)
  assert.deepEqual(waits(connection), steps)
})

test('another failure begins at the bottom of its own ladder', () => {
  assert.deepEqual(waits(['unreachable', 'unreachable', 'connection']), [10_000, minute, 10_000])
})

test('what can be put right by ordering anew is tried at once, but not for ever', () => {
  for (const kind of ['already_replaced', 'account_missing'] as const) {
    const [first, second] = waits([kind, kind])
    assert.equal(first, 0)
    assert.ok((second ?? 0) > 0)
  }
  assert.equal(after('already_replaced').replaces, null)
})

test('Retry-After counts, and does not shorten a ladder', () => {
  assert.equal(after('rate_limited', { retryAt: now + 3 * hour }).next_attempt_at, now + 3 * hour)
  assert.equal(after('rate_limited', { retryAt: now + 1 }).next_attempt_at, now + hour)
  assert.equal(after('rate_limited').next_attempt_at, now + hour)
  assert.equal(after('budget', { retryAt: now + 2 * day }).next_attempt_at, now + 2 * day)
})

test('a name that is refused waits for somebody; its renewal is tried daily', () => {
  assert.equal(after('rejected_name').next_attempt_at, null)
  assert.equal(after('malformed').next_attempt_at, null)
  const row: JobRow = { ...job, reason: 'renewal' }
  assert.equal(after('rejected_name', { row }).next_attempt_at, now + day)
})

test('an order that can still be finished is kept, any other is forgotten with its key', () => {
  for (const kind of ['unreachable', 'server_internal', 'rate_limited', 'bad_nonce', 'fault'] as const) {
    assert.ok(!('order_url' in after(kind)), kind)
    assert.equal(after(kind, { orderIsOver: true }).order_url, null)
  }
  const forgotten = after('unauthorized')
  assert.deepEqual([forgotten.order_url, forgotten.sealed_key, forgotten.issuer], [null, null, null])
})

test('after a failed connection the name is proved in the other way, then back', () => {
  const first = after('connection')
  assert.equal(first.challenge_kind, 'tls-alpn-01')
  assert.equal(after('connection', { row: { ...job, ...first } }).challenge_kind, 'http-01')
  assert.ok(!('challenge_kind' in after('dns')))
})

test('who asked while the attempt ran gets the next one at once', () => {
  assert.equal(after('connection', { askedMeanwhile: true }).next_attempt_at, now)
  assert.equal(after('rejected_name', { askedMeanwhile: true }).next_attempt_at, now)
})

test('attempts of names that failed together spread', () => {
  const failure: Failure = { kind: 'caa', message: '', document: null, retryAt: null }
  const failed = { failure, orderIsOver: true, authority: 'A CA', askedMeanwhile: false }
  assert.equal(afterFailure(job, failed, now, 0.5).next_attempt_at, now + 1.05 * hour)
})

test('every failure is kept with a hint and the words of the CA', () => {
  const document = { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA forbids it' }
  const failure: Failure = { kind: 'caa', message: 'A CA said: "CAA forbids it"', document, retryAt: null }
  const failed = { failure, orderIsOver: true, authority: 'A CA', askedMeanwhile: false }
  const change = afterFailure(job, failed, now, 0)
  const error: CertificateError = JSON.parse(change.last_error ?? '')
  assert.deepEqual(error, {
    kind: 'caa',
    at: '2030-01-01T00:00:00.000Z',
    authority: 'A CA',
    message: 'A CA said: "CAA forbids it"',
    hint: ladders.caa.hint,
    problem: document,
    add: null,
  })
  assert.equal(change.attempts, 1)
  for (const [kind, { hint, waits }] of Object.entries(ladders)) {
    assert.match(hint, /^[A-Z].+\.$/, kind)
    assert.ok(waits.length > 0, kind)
  }
})
