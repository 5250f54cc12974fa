import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour, minute, second } from '../../kernel/clock.ts'
import { breakerPause, pauseAfter, schedule } from './schedule.ts'

test('attempts start within seconds and still go on at the end of the 24 hours', () => {
  const attempts = [0]
  while ((attempts.at(-1) ?? 0) < schedule.giveUpAfter) {
    attempts.push((attempts.at(-1) ?? 0) + pauseAfter(schedule, attempts.length, { random: 0 }))
  }
  assert.equal(attempts[1], 5 * second)
  assert.ok(attempts.length >= 10 && attempts.length <= 20, String(attempts.length))
  const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0))
  assert.deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  )
  assert.ok(Math.max(...pauses) <= 4 * hour)
})

test('a pause is never shorter than planned, and up to a fifth longer', () => {
  for (const random of [0, 0.5, 0.999]) {
    const pause = pauseAfter(schedule, 1, { random })
    assert.ok(pause >= 5 * second && pause <= 6 * second)
  }
})

test('Retry-After prolongs a pause, but to an hour at most', () => {
  assert.equal(pauseAfter(schedule, 1, { retryAfter: minute, random: 0 }), minute)
  assert.equal(pauseAfter(schedule, 1, { retryAfter: second, random: 0 }), 5 * second)
  assert.equal(pauseAfter(schedule, 1, { retryAfter: 999_999 * second, random: 0 }), hour)
})

test('the circuit breaker opens after five failures in a row and never pauses for more than ten minutes', () => {
  assert.deepEqual(
    [1, 4, 5, 6, 8, 1_000].map((failures) => breakerPause(schedule, failures)),
    [0, 0, minute, 2 * minute, 10 * minute, 10 * minute],
  )
})
