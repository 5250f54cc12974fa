import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exactTime, relativeTime } from './relative-time.ts'

const now = Date.parse('2026-11-15T12:00:00Z')
const ago = (ms: number) => relativeTime(now - ms, now)

test('the past is told in whole units, rounded down', () => {
  assert.equal(ago(0).words, 'just now')
  assert.equal(ago(12_000).words, '12 seconds ago')
  assert.equal(ago(60_000).words, '1 minute ago')
  assert.equal(ago(59 * 60_000 + 59_999).words, '59 minutes ago')
  assert.equal(ago(3_600_000).words, '1 hour ago')
  assert.equal(ago(47 * 3_600_000).words, '1 day ago')
  assert.equal(ago(29 * 86_400_000).words, '29 days ago')
})

test('what is more than thirty days away is told by its date', () => {
  const told = relativeTime(Date.parse('2026-01-03T12:00:00Z'), now)
  assert.equal(told.words, 'on 3 January 2026')
  assert.equal(told.changesIn, null)
})

test('the future never promises more time than there is', () => {
  assert.equal(relativeTime(now + 599_999, now).words, 'in 9 minutes')
  assert.equal(relativeTime(now + 59_999, now).words, 'in 59 seconds')
  assert.equal(relativeTime(now + 2_000, now).words, 'in a moment')
})

test('days ahead are the nearest: seven days do not become six by the time they are read', () => {
  const hour = 3_600_000
  assert.equal(relativeTime(now + 7 * 24 * hour - 1_500, now).words, 'in 7 days')
  assert.equal(relativeTime(now + 6.6 * 24 * hour, now).words, 'in 7 days')
  assert.equal(relativeTime(now + 6.4 * 24 * hour, now).words, 'in 6 days')
  assert.equal(relativeTime(now + 24 * hour, now).words, 'in 1 day')
  assert.equal(relativeTime(now + 24 * hour - 1, now).words, 'in 23 hours')
})

test('the words stay true until the moment they are said to change, and change then', () => {
  for (const distance of [
    1,
    4_200,
    12_345,
    61_000,
    3_599_000,
    7_300_000,
    90_000_000,
    -30_500,
    -61_000,
    -600_000,
    -86_400_000,
    -100_000_000,
    -130_000_000,
    -7 * 86_400_000,
  ]) {
    const at = now - distance
    const { words, changesIn } = relativeTime(at, now)
    assert.ok(changesIn !== null && changesIn > 0)
    assert.equal(relativeTime(at, now + changesIn - 2).words, words, `${distance} before the change`)
    assert.notEqual(relativeTime(at, now + changesIn).words, words, `${distance} at the change`)
  }
})

test('the exact time names its zone', () => {
  assert.match(exactTime(now, 'UTC'), /15 November 2026.*12:00:00 UTC/)
})
