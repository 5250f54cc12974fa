import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute, second } from '../../kernel/clock.ts'
import { backoffs, type CertificateError, type FailedAttempt, jobAfterFailure } from './backoff.ts'
import type { Failure, FailureKind } from './failure.ts'
import { type JobChange, type JobRow, jobPriorities } from './job.ts'

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
  generation: 0,
  account_id: null,
  priority: 0,
  created_at: now,
}

const attempt = { authority: 'A CA', orderIsOver: true, isRequestedAgain: false, isCovered: false }

interface Circumstances
  extends Partial<Pick<FailedAttempt, 'orderIsOver' | 'isRequestedAgain' | 'isCovered'>> {
  row?: JobRow
  retryAt?: number
}

function after(kind: FailureKind, { row = job, retryAt, ...more }: Circumstances = {}): JobChange {
  const failure: Failure = { kind, message: 'It failed.', document: null, retryAt: retryAt ?? null }
  const failed = { ...attempt, failure, orderIsOver: false, ...more }
  return jobAfterFailure(row, failed, now, 0)
}

/** The waits after a series of failures. */
function waits(kinds: readonly FailureKind[]): (number | null)[] {
  let row = job
  return kinds.map((kind) => {
    row = { ...row, ...after(kind, { row }) }
    return row.next_attempt_at === null ? null : row.next_attempt_at - now
  })
}

test('repeats of one failure wait longer and longer, up to the last step', () => {
  const connection = Array.from({ length: 11 }, () => 'connection' as const)
  const steps = [1 / 6, 1 / 2, 1, 5, 15, 30, 60, 180, 360, 360, 360].map((minutes) => minutes * minute)
  assert.deepEqual(waits(connection), steps)
})

test('a different failure starts its own backoff from the beginning', () => {
  assert.deepEqual(waits(['unreachable', 'unreachable', 'connection']), [10_000, minute, 10_000])
})

test('what a new order can fix is retried immediately once, then backs off', () => {
  for (const kind of ['already_replaced', 'account_missing', 'interrupted'] as const) {
    const [first, second] = waits([kind, kind])
    assert.equal(first, 0)
    assert.ok((second ?? 0) > 0)
  }
  assert.equal(after('already_replaced').replaces, null)
})

test('a name is not blamed for an interruption of the server', () => {
  const change = after('interrupted')
  assert.ok(!('priority' in change))
  assert.ok(!('challenge_kind' in change))
  assert.equal(change.order_url, null)
})

test('Retry-After can lengthen a backoff but not shorten it', () => {
  assert.equal(after('rate_limited', { retryAt: now + 3 * hour }).next_attempt_at, now + 3 * hour)
  assert.equal(after('rate_limited', { retryAt: now + 1 }).next_attempt_at, now + hour)
  assert.equal(after('rate_limited').next_attempt_at, now + hour)
  assert.equal(after('budget', { retryAt: now + 2 * day }).next_attempt_at, now + 2 * day)
})

test('a refused name is not retried automatically, except daily while its certificate is valid', () => {
  for (const reason of ['first', 'asked', 'renewal'] as const) {
    const row: JobRow = { ...job, reason }
    for (const kind of ['rejected_name', 'malformed'] as const) {
      assert.equal(after(kind, { row }).next_attempt_at, null, `${kind} of ${reason}`)
      assert.equal(after(kind, { row, isCovered: true }).next_attempt_at, now + day, `${kind} of ${reason}`)
    }
  }
})

test('an order that can still be finished is kept, any other is dropped with its key', () => {
  for (const kind of [
    'unreachable',
    'server_internal',
    'rate_limited',
    'bad_nonce',
    'not_found',
    'fault',
  ] as const) {
    assert.ok(!('order_url' in after(kind)), kind)
    assert.equal(after(kind, { orderIsOver: true }).order_url, null)
  }
  const forgotten = after('unauthorized')
  assert.deepEqual([forgotten.order_url, forgotten.sealed_key, forgotten.issuer], [null, null, null])
})

test('after a failed connection the challenge type alternates', () => {
  const first = after('connection')
  assert.equal(first.challenge_kind, 'tls-alpn-01')
  assert.equal(after('connection', { row: { ...job, ...first } }).challenge_kind, 'http-01')
  assert.ok(!('challenge_kind' in after('dns')))
})

test('a request during the attempt makes the next one immediate and starts the backoff again', () => {
  const row: JobRow = { ...job, problem_kind: 'connection', rung: 8 }
  const requested = after('connection', { row, isRequestedAgain: true })
  assert.equal(requested.next_attempt_at, now)
  assert.equal(after('connection', { row: { ...row, ...requested } }).next_attempt_at, now + 10 * second)
  assert.equal(after('rejected_name', { isRequestedAgain: true }).next_attempt_at, now)
})

test('names that failed together are spread out, even if the CA gave them the same Retry-After', () => {
  const nextOf = (kind: FailureKind, retryAt: number | null, random: number) => {
    const failure: Failure = { kind, message: '', document: null, retryAt }
    return jobAfterFailure(job, { ...attempt, failure }, now, random).next_attempt_at
  }
  assert.equal(nextOf('caa', null, 0.5), now + 1.05 * hour)
  assert.equal(nextOf('budget', now + 2 * hour, 0), now + 2 * hour)
  assert.equal(nextOf('budget', now + 2 * hour, 0.5), now + 2.1 * hour)
  assert.equal(nextOf('budget', now + 7 * day, 0.5), now + 7 * day + hour / 2)
})

test('names waiting for the budget retry less and less often, however soon a token is free', () => {
  const soon = (row: JobRow) => after('budget', { row, retryAt: now + 1 }).next_attempt_at
  assert.equal(soon(job), now + 10 * second)
  assert.equal(soon({ ...job, problem_kind: 'budget', rung: 2 }), now + 5 * minute)
})

test('every failure is stored with a hint and what the CA said', () => {
  const document = { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA forbids it' }
  const failure: Failure = { kind: 'caa', message: 'A CA said: "CAA forbids it"', document, retryAt: null }
  const failed = { ...attempt, failure }
  const change = jobAfterFailure(job, failed, now, 0)
  const error: CertificateError = JSON.parse(change.last_error ?? '')
  assert.deepEqual(error, {
    kind: 'caa',
    at: '2030-01-01T00:00:00.000Z',
    authority: 'A CA',
    message: 'A CA said: "CAA forbids it"',
    hint: backoffs.caa.hint,
    problem: document,
    add: null,
  })
  assert.equal(change.attempts, 1)
  for (const [kind, { hint, waits }] of Object.entries(backoffs)) {
    assert.match(hint, /^[A-Z].+\.$/, kind)
    assert.ok(waits.length > 0, kind)
    const longer = waits.toSorted((a, b) => a - b)
    assert.deepEqual([waits, Math.max(...waits) <= day], [longer, true], kind)
  }
})

test('a name that failed comes after others, unless the failure is not its fault or it still has a certificate', () => {
  for (const kind of ['connection', 'dns', 'unauthorized', 'caa', 'caa_forbids'] as const) {
    assert.equal(after(kind).priority, jobPriorities.failed)
    assert.equal(after(kind, { isCovered: true }).priority, undefined)
  }
  for (const kind of ['budget', 'unreachable', 'server_internal', 'rate_limited', 'fault'] as const) {
    assert.equal(after(kind).priority, undefined)
  }
})

test('the hint for a wildcard is about DNS, because nobody connects to it', () => {
  const hint = (kind: FailureKind, name: string) =>
    (JSON.parse(after(kind, { row: { ...job, name } }).last_error ?? '') as CertificateError).hint
  for (const kind of ['connection', 'dns', 'unauthorized'] as const) {
    assert.equal(hint(kind, 'www.acme.test'), backoffs[kind].hint)
    assert.match(hint(kind, '*.acme.test'), /CNAME record of _acme-challenge\.acme\.test/)
  }
  assert.equal(hint('caa', '*.acme.test'), backoffs.caa.hint)
})
