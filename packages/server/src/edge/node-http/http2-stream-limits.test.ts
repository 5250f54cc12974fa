import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResetLimiter } from './http2-stream-limits.ts'

/** How many of so many are within the allowance. */
const taken = (allowance: ResetLimiter, tries: number) =>
  Array.from({ length: tries }, () => allowance.take()).filter(Boolean).length

test('a burst is allowed, and then as many as the seconds bring', () => {
  let now = 1000
  const allowance = new ResetLimiter({ resetBurst: 10, resetRate: 2 }, () => now)
  assert.equal(taken(allowance, 10), 10)
  now += 1000
  assert.equal(taken(allowance, 3), 2)
})

test('a long rest brings back a burst and no more', () => {
  let now = 0
  const allowance = new ResetLimiter({ resetBurst: 10, resetRate: 2 }, () => now)
  assert.equal(taken(allowance, 10), 10)
  now += 3_600_000
  assert.equal(taken(allowance, 20), 10)
})

test('a clock that is set back gives and takes nothing', () => {
  let now = 10_000
  const allowance = new ResetLimiter({ resetBurst: 2, resetRate: 1 }, () => now)
  now = 0
  assert.equal(taken(allowance, 3), 2)
})
