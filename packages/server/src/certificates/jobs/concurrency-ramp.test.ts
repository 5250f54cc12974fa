import assert from 'node:assert/strict'
import { test } from 'node:test'
import { second } from '../../kernel/clock.ts'
import {
  type Burst,
  concurrencyOf,
  pauseAfter,
  type Ramp,
  ramps,
  slotsFor,
  untilMore,
  untilSlow,
} from './concurrency-ramp.ts'

const burst = (ramp: Ramp, finished = 0): Burst => ({ since: 0, ramp, finished })

test('concurrency starts low and grows by one per finished attempt, up to the limit', () => {
  const finished = [0, 1, 2, 10, 48, 1e6]
  assert.deepEqual(
    finished.map((count) => concurrencyOf(burst(ramps.usual, count), 0, 50)),
    [2, 3, 4, 12, 50, 50],
  )
  assert.equal(concurrencyOf(burst(ramps.usual), 0, 1), 1)
})

test('while no attempt finishes, concurrency doubles from time to time', () => {
  const seconds = [-1, 0, 9.9, 10, 20, 60, 1e6]
  assert.deepEqual(
    seconds.map((at) => concurrencyOf(burst(ramps.usual), at * second, 50)),
    [2, 2, 2, 4, 8, 50, 50],
  )
  assert.equal(untilMore(burst(ramps.usual), 12.5 * second), 7.5 * second)
})

test('after a crash concurrency starts below one and grows slowly', () => {
  const finished = [0, 4, 12, 28, 1e6]
  assert.deepEqual(
    finished.map((count) => concurrencyOf(burst(ramps.afterCrash, count), 0, 50)),
    [1 / 4, 1 / 2, 1, 2, 50],
  )
  assert.equal(concurrencyOf(burst(ramps.afterCrash), 60 * second, 50), 1)
})

test('below a concurrency of one, longer attempts mean longer pauses, up to a limit', () => {
  assert.equal(pauseAfter(200, 1 / 4), 600)
  assert.equal(pauseAfter(200, 1 / 2), 200)
  assert.equal(pauseAfter(200, 1), 0)
  assert.equal(pauseAfter(200, 50), 0)
  assert.equal(pauseAfter(-1, 1 / 4), 0)
  assert.equal(pauseAfter(120 * second, 1 / 4), 3 * second)
})

test('attempts that take long do not count, so others can start, up to the limit', () => {
  const running = [9.9, 10, 60, 1e6].map((seconds) => seconds * second)
  assert.equal(slotsFor(1 / 4, [], 50), 1)
  assert.equal(slotsFor(1 / 4, running, 50), 4)
  assert.equal(slotsFor(2.5, running, 50), 5)
  assert.equal(slotsFor(2.5, running, 3), 3)
  assert.equal(untilSlow([]), Number.POSITIVE_INFINITY)
  assert.equal(untilSlow(running), 0.1 * second)
  assert.equal(untilSlow(running.slice(1)), Number.POSITIVE_INFINITY)
})
