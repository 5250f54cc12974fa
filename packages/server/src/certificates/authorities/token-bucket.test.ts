import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { availableAt, type Bucket, giveBack, take } from './token-bucket.ts'

const size = { count: 5, within: 60_000 }
const interval = 12_000

/** Takes every available token. */
function drain(
  bucket: Bucket | undefined,
  now: number,
  leaving = 0,
): { bucket: Bucket | undefined; taken: number } {
  let taken = 0
  let left = bucket
  for (; availableAt(left, size, leaving) <= now; taken++) left = take(left, size, now)
  return { bucket: left, taken }
}

test('a full bucket gives all its tokens immediately, then one per interval', () => {
  const { bucket, taken } = drain(undefined, 1_000)
  assert.equal(taken, 5)
  assert.equal(availableAt(bucket, size), 1_000 + interval)
  assert.equal(drain(bucket, 1_000 + interval).taken, 1)
  assert.equal(drain(bucket, 1_000 + 3 * interval).taken, 3)
  assert.equal(drain(bucket, 1_000 + 60_000).taken, 5)
  assert.equal(drain(bucket, 1_000 + 600_000).taken, 5)
})

test('a caller that must leave some tokens waits until there are more', () => {
  const { bucket, taken } = drain(undefined, 0, 2)
  assert.equal(taken, 3)
  assert.equal(availableAt(bucket, size, 2), interval)
  assert.equal(drain(bucket, 0, 0).taken, 2)
})

test('a returned token can be taken again, unless it was already refilled', () => {
  const first = take(undefined, size, 0)
  assert.equal(drain(giveBack(first, size, 0), 0).taken, 5)
  const second = take(first, size, interval + 1)
  // The first was already refilled: returning it would add one too many.
  assert.equal(drain(giveBack(second, size, 0), interval + 1).taken, 4)
  assert.equal(drain(giveBack(second, size, interval + 1), interval + 1).taken, 5)
})

test('no period ever yields more tokens than the bucket held plus what was refilled', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30_000), { maxLength: 60 }), (pauses) => {
      let now = 0
      let bucket: Bucket | undefined
      const taken: number[] = []
      for (const pause of pauses) {
        now += pause
        if (availableAt(bucket, size) > now) continue
        bucket = take(bucket, size, now)
        taken.push(now)
      }
      for (const [from, start] of taken.entries()) {
        for (let to = from; to < taken.length; to++) {
          const within = (taken[to] ?? 0) - start
          assert.ok(to - from + 1 <= size.count + Math.floor((within + 1) / interval))
        }
      }
    }),
  )
})
