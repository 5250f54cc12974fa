import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResetLimiter } from './http2-stream-limits.ts'

/** How many of these resets are allowed. */
const taken = (limiter: ResetLimiter, tries: number) =>
  Array.from({ length: tries }, () => limiter.tryReset()).filter(Boolean).length

test('a burst is allowed, and then a number per second', () => {
  let now = 1000
  const limiter = new ResetLimiter({ resetBurst: 10, resetRate: 2 }, () => now)
  assert.equal(taken(limiter, 10), 10)
  now += 1000
  assert.equal(taken(limiter, 3), 2)
})

test('a long pause restores one burst and no more', () => {
  let now = 0
  const limiter = new ResetLimiter({ resetBurst: 10, resetRate: 2 }, () => now)
  assert.equal(taken(limiter, 10), 10)
  now += 3_600_000
  assert.equal(taken(limiter, 20), 10)
})

test('setting the clock back changes nothing', () => {
  let now = 10_000
  const limiter = new ResetLimiter({ resetBurst: 2, resetRate: 1 }, () => now)
  now = 0
  assert.equal(taken(limiter, 3), 2)
})
