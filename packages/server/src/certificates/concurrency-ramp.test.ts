import assert from 'node:assert/strict'
import { test } from 'node:test'
import { second } from '../clock.ts'
import { concurrencyAfter, ramps, untilMore } from './concurrency-ramp.ts'

test('few are got at once at first, twice as many each second, and no more than is allowed', () => {
  const seconds = [-1, 0, 0.9, 1, 2, 3, 4, 60, 1e6]
  assert.deepEqual(
    seconds.map((at) => concurrencyAfter(at * second, ramps.usual, 50)),
    [2, 2, 2, 4, 8, 16, 32, 50, 50],
  )
  assert.equal(concurrencyAfter(0, ramps.usual, 1), 1)
  assert.equal(untilMore(2.25 * second, ramps.usual), 0.75 * second)
})

test('after a crash it is one at first, and all again half a minute later', () => {
  const seconds = [0, 4.9, 5, 10, 30]
  assert.deepEqual(
    seconds.map((at) => concurrencyAfter(at * second, ramps.afterCrash, 50)),
    [1, 1, 2, 4, 50],
  )
})
