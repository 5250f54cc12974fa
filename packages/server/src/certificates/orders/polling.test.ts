import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute, second } from '../../kernel/clock.ts'
import { newPolling, nextPoll, type Polling, pollFaster } from './polling.ts'

const now = Date.UTC(2030, 0, 1)

const order = (retryAt: number | null, expires: number | null = null) => ({ retryAt, expires })

/** Polls a CA that never gets done. Returns the pauses and when the job is released. */
function pollForever(retryAfter: number | null) {
  const pauses: number[] = []
  let polling: Polling = newPolling
  for (let at = now; ; ) {
    const next = nextPoll(polling, order(retryAfter === null ? null : at + retryAfter), at)
    if (next.kind === 'release') return { pauses, at, until: next.until }
    pauses.push(next.duration)
    at += next.duration
    polling = next.polling
  }
}

test('polling starts within milliseconds, slows down to every two seconds, and gives up after two minutes', () => {
  const { pauses, at, until } = pollForever(null)
  assert.equal(pauses[0], 5)
  assert.deepEqual(
    pauses,
    pauses.toSorted((one, other) => one - other),
  )
  assert.equal(pauses.at(-1), 2 * second)
  assert.ok(at > now + minute && at <= now + 2 * minute)
  assert.equal(until, at + minute)
})

test('a Retry-After of the CA is honored, by sleeping if it is short and by releasing the job if not', () => {
  assert.deepEqual(new Set(pollForever(10 * second).pauses), new Set([10 * second]))
  assert.deepEqual(nextPoll(newPolling, order(now + 10 * minute), now), {
    kind: 'release',
    until: now + 10 * minute,
  })
})

test('a Retry-After in the past does not make polling faster', () => {
  const next = nextPoll({ waited: 0, pause: second }, order(now - minute), now)
  assert.equal(next.kind === 'sleep' && next.duration, second)
})

test('polling faster again keeps the time already waited', () => {
  assert.deepEqual(pollFaster({ waited: minute, pause: 2 * second }), { waited: minute, pause: 5 })
})
