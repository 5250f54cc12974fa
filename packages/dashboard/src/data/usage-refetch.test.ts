import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usageRefetchInterval } from './usage-refetch.ts'

const now = Date.parse('2026-11-15T18:48:00Z')
const windows = (minuteLeft: number, dayLeft: number) => {
  const quota = (left: number) => ({
    limit: 60,
    used: 1,
    remaining: 59,
    resetAt: new Date(now + left).toISOString(),
  })
  return { minute: quota(minuteLeft), day: quota(dayLeft) }
}

test('usage is refetched every five seconds while no window ends', () => {
  assert.equal(usageRefetchInterval(undefined, now), 5_000)
  assert.equal(usageRefetchInterval(windows(23_000, 18_720_000), now), 5_000)
})

test('usage is refetched just after the first window ends', () => {
  assert.equal(usageRefetchInterval(windows(2_000, 18_720_000), now), 2_100)
  assert.equal(usageRefetchInterval(windows(2_000, 700), now), 800)
})

test('a window that should have ended already does not cause a tight loop', () => {
  assert.equal(usageRefetchInterval(windows(-10, 18_720_000), now), 5_000)
  assert.equal(usageRefetchInterval(windows(0, 18_720_000), now), 5_000)
})
