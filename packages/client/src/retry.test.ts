import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  defaultRetryPolicy,
  type FailedRequest,
  isClosedConnection,
  isOutage,
  parseRetryAfter,
  retryDelay,
} from './retry.ts'

const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE')
const failure = fc.oneof(
  fc.constantFrom('network' as const, 'closed' as const),
  fc.record({ status: fc.integer({ min: 400, max: 599 }) }),
)
const failed: fc.Arbitrary<FailedRequest> = fc.record({
  attempt: fc.integer({ min: 1, max: 8 }),
  method,
  failure,
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 300_000 })),
  waitedMs: fc.integer({ min: 0, max: 130_000 }),
  failingMs: fc.integer({ min: 0, max: 130_000 }),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
})

const first: FailedRequest = {
  attempt: 1,
  method: 'GET',
  failure: { status: 429 },
  retryAfterMs: null,
  waitedMs: 0,
  failingMs: 0,
  random: 0.5,
}
const wait = (change: Partial<FailedRequest>) => retryDelay({ ...first, ...change }, defaultRetryPolicy)

test('a wait is never shorter than Retry-After and never past the total', () => {
  fc.assert(
    fc.property(failed, (attempt) => {
      const ms = retryDelay(attempt, defaultRetryPolicy)
      if (ms === null) return
      assert.ok(ms >= (attempt.retryAfterMs ?? 0))
      assert.ok(attempt.waitedMs + ms <= defaultRetryPolicy.totalMs)
    }),
  )
})

test('without Retry-After the wait lies between zero and a ceiling that doubles up to the cap', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const ms = retryDelay({ ...first, attempt, random }, { ...defaultRetryPolicy, attempts: 99 })
        assert.equal(ms, random * Math.min(20_000, 250 * 2 ** (attempt - 1)))
      },
    ),
  )
})

const outages: FailedRequest['failure'][] = ['closed', { status: 502 }, { status: 503 }, { status: 504 }]

test('in an outage the wait is at least half of a ceiling that doubles up to a few seconds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...outages),
      fc.integer({ min: 1, max: 30 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failure, attempt, random) => {
        const ceiling = Math.min(4_000, 250 * 2 ** (attempt - 1))
        const ms = wait({ failure, attempt, random })
        assert.ok(ms !== null && ms >= ceiling / 2 && ms <= ceiling)
      },
    ),
  )
})

test('in an outage a call is repeated by time, and no less often than otherwise', () => {
  for (const failure of outages) {
    assert.equal(wait({ failure, attempt: 50, failingMs: 27_000 }), 3_000)
    assert.equal(wait({ failure, attempt: 50, failingMs: 27_001 }), null)
    assert.equal(wait({ failure, attempt: 4, failingMs: 600_000 }), 1_500)
  }
  assert.equal(wait({ failure: 'closed', method: 'PATCH' }), null)
})

test('a call ends after the last attempt outside an outage, and after the first if there is one only', () => {
  fc.assert(
    fc.property(failed, (attempt) => {
      const { failure } = attempt
      const last = { ...attempt, attempt: defaultRetryPolicy.attempts }
      if (!isOutage(failure)) assert.equal(retryDelay(last, defaultRetryPolicy), null)
      assert.equal(retryDelay(attempt, { ...defaultRetryPolicy, attempts: 1 }), null)
    }),
  )
})

test('what is not there or hangs up is told from what cannot be read, looked up or trusted', () => {
  const error = (code: string) => Object.assign(new Error(code), { code })
  const refused = new AggregateError([error('ECONNREFUSED'), error('ECONNREFUSED')])
  for (const closed of [error('ECONNRESET'), refused, new TypeError('fetch failed', { cause: refused })]) {
    assert.equal(isClosedConnection(closed), true)
  }
  const fetchFailed = new TypeError('fetch failed', { cause: error('ENOTFOUND') })
  for (const other of [
    fetchFailed,
    error('CERT_HAS_EXPIRED'),
    new DOMException('', 'NotReadableError'),
    null,
  ]) {
    assert.equal(isClosedConnection(other), false)
  }
})

test('answers that would not change are not asked for again', () => {
  fc.assert(
    fc.property(failed, (attempt) => {
      if (typeof attempt.failure === 'string' || [429, 502, 503, 504].includes(attempt.failure.status)) return
      assert.equal(retryDelay(attempt, defaultRetryPolicy), null)
    }),
  )
})

test('a lost PATCH is not repeated, a refused one is', () => {
  assert.equal(wait({ method: 'PATCH', failure: 'network' }), null)
  assert.equal(wait({ method: 'PATCH', failure: { status: 502 } }), null)
  assert.equal(wait({ method: 'PATCH', failure: { status: 429 } }), 125)
})

test('a POST whose first sending still runs is sent again', () => {
  assert.equal(wait({ method: 'POST', failure: { status: 409, code: 'idempotency_conflict' } }), 125)
  assert.equal(wait({ method: 'POST', failure: { status: 409, code: 'slug_taken' } }), null)
})

test('a used-up window is waited for, a ban is not', () => {
  assert.equal(wait({ failure: { status: 429, code: 'rate_limited' }, retryAfterMs: 63_000 }), 63_000)
  assert.equal(wait({ failure: { status: 429, code: 'key_banned' }, retryAfterMs: 1_000 }), null)
})

test('a Retry-After past the total gives up at once', () => {
  for (const failure of [{ status: 429 }, { status: 503 }]) {
    assert.equal(wait({ failure, retryAfterMs: 120_001 }), null)
    assert.equal(wait({ failure, retryAfterMs: 120_000 }), 120_000)
  }
})

test('whole seconds and HTTP dates name the same moment', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 6 }), (seconds) => {
      const now = Date.UTC(2026, 0, 1)
      assert.equal(parseRetryAfter(String(seconds), now), seconds * 1000)
      assert.equal(parseRetryAfter(new Date(now + seconds * 1000).toUTCString(), now), seconds * 1000)
    }),
  )
})

test('a date that has passed asks for no wait', () => {
  assert.equal(parseRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', Date.UTC(2026, 0, 1)), 0)
})

test('what is neither a number nor a date says nothing', () => {
  for (const value of [null, '', 'soon', '-1', '1.5', '2026-01-01', 'Sun, never']) {
    assert.equal(parseRetryAfter(value, 0), null, String(value))
  }
})
