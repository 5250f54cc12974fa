import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute, second } from '../../kernel/clock.ts'
import { firstPause, nextPoll } from './polling.ts'

const now = Date.UTC(2030, 0, 1)

const order = (retryAt: number | null, expires: number | null = null) => ({ retryAt, expires })

/** Polls a CA that never gets done. Returns the pauses and when the job is released. */
function pollForever({ retryAfter = null as number | null, responseTime = 0 } = {}) {
  const pauses: number[] = []
  let pause = firstPause
  for (let at = now; ; ) {
    const retryAt = retryAfter === null ? null : at + retryAfter
    const next = nextPoll(pause, order(retryAt), { now: at, elapsed: at - now })
    if (next.kind === 'release') return { pauses, at, until: next.until }
    pauses.push(next.duration)
    at += next.duration + responseTime
    pause = next.nextPause
  }
}

test('polling starts within milliseconds, slows down to every two seconds, and gives up after two minutes', () => {
  const { pauses, at, until } = pollForever()
  assert.equal(pauses[0], 5)
  assert.deepEqual(
    pauses,
    pauses.toSorted((one, other) => one - other),
  )
  assert.equal(pauses.at(-1), 2 * second)
  assert.ok(at > now + minute && at <= now + 2 * minute)
  assert.equal(until, at + minute)
})

test('a CA that takes long for each response is given up as early', () => {
  const { at } = pollForever({ responseTime: 25 * second })
  assert.ok(at > now + minute && at <= now + 2.5 * minute)
})

test('a Retry-After of the CA is honored, by sleeping if it is short and by releasing the job if not', () => {
  assert.deepEqual(new Set(pollForever({ retryAfter: 10 * second }).pauses), new Set([10 * second]))
  assert.deepEqual(nextPoll(firstPause, order(now + 10 * minute), { now, elapsed: 0 }), {
    kind: 'release',
    until: now + 10 * minute,
  })
})

test('a Retry-After in the past does not make polling faster', () => {
  const next = nextPoll(second, order(now - minute), { now, elapsed: 0 })
  assert.equal(next.kind === 'sleep' && next.duration, second)
})
