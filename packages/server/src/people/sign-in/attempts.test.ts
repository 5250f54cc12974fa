import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { second } from '../../kernel/clock.ts'
import { backoffAfter } from './attempts.ts'

const backoff = { freeAttempts: 5, maxWait: 30 * second }

test('waits double from one second once the free attempts are used, up to the maximum', () => {
  const waits = [0, 4, 5, 6, 7, 8, 9, 10, 11, 1_000].map(
    (attempts) => backoffAfter(attempts, backoff) / second,
  )
  assert.deepEqual(waits, [0, 0, 1, 2, 4, 8, 16, 30, 30, 30])
})

test('more attempts never shorten the wait, and none exceeds the maximum', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), (attempts) => {
      const wait = backoffAfter(attempts, backoff)
      assert.ok(wait <= backoffAfter(attempts + 1, backoff))
      assert.ok(wait <= backoff.maxWait)
    }),
  )
})
