import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockTime, exactTime, relativeTime, timeLeft } from './time-words.ts'

const noon = Date.parse('2026-11-15T12:00:00Z')
const ago = (ms: number) => relativeTime(noon - ms, noon)

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
  const told = relativeTime(Date.parse('2026-01-03T12:00:00Z'), noon)
  assert.equal(told.words, 'on 3 January 2026')
  assert.equal(told.changesIn, null)
})

test('the future never promises more time than there is', () => {
  assert.equal(relativeTime(noon + 599_999, noon).words, 'in 9 minutes')
  assert.equal(relativeTime(noon + 59_999, noon).words, 'in 59 seconds')
  assert.equal(relativeTime(noon + 2_000, noon).words, 'in a moment')
})

test('days ahead are the nearest: seven days do not become six by the time they are read', () => {
  const hour = 3_600_000
  assert.equal(relativeTime(noon + 7 * 24 * hour - 1_500, noon).words, 'in 7 days')
  assert.equal(relativeTime(noon + 6.6 * 24 * hour, noon).words, 'in 7 days')
  assert.equal(relativeTime(noon + 6.4 * 24 * hour, noon).words, 'in 6 days')
  assert.equal(relativeTime(noon + 24 * hour, noon).words, 'in 1 day')
  assert.equal(relativeTime(noon + 24 * hour - 1, noon).words, 'in 23 hours')
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
    const at = noon - distance
    const { words, changesIn } = relativeTime(at, noon)
    assert.ok(changesIn !== null && changesIn > 0)
    assert.equal(relativeTime(at, noon + changesIn - 2).words, words, `${distance} before the change`)
    assert.notEqual(relativeTime(at, noon + changesIn).words, words, `${distance} at the change`)
  }
})

test('the exact time names its zone', () => {
  assert.match(exactTime(noon, 'UTC'), /15 November 2026.*12:00:00 UTC/)
})

const now = Date.parse('2026-11-15T18:48:00Z')
const words = (left: number) => timeLeft(now + left, now)?.words

test('what is left is told in the two largest units that matter, rounded down', () => {
  assert.equal(words(23_999), '23 s')
  assert.equal(words(400), '1 s')
  assert.equal(words(179_000), '2 min')
  assert.equal(words(18_720_000), '5 h 12 min')
  assert.equal(words(7_200_000), '2 h')
  assert.equal(words(47 * 3_600_000 + 52 * 60_000), '47 h 52 min')
  assert.equal(words(30 * 86_400_000 + 4 * 3_600_000), '30 days 4 h')
})

test('nothing is left of a wait that is over', () => {
  assert.equal(timeLeft(now, now), null)
  assert.equal(timeLeft(now - 1, now), null)
})

test('the words stay true until the moment they are said to change, and change then', () => {
  for (const left of [1, 999, 1_500, 2_000, 23_456, 60_000, 61_000, 3_599_999, 3_600_000, 90_061_000, 2e8]) {
    const until = now + left
    const told = timeLeft(until, now)
    assert.ok(told !== null && told.changesIn > 0)
    assert.equal(timeLeft(until, now + told.changesIn - 1)?.words, told.words, `${left} before the change`)
    assert.notEqual(timeLeft(until, now + told.changesIn)?.words, told.words, `${left} at the change`)
  }
})

const evening = Date.parse('2026-11-15T18:48:00Z')

test('a time of today is told by the clock alone', () => {
  assert.equal(clockTime(Date.parse('2026-11-15T18:51:40Z'), evening, 'UTC'), '18:51')
})

test('a time of another day names the day', () => {
  assert.equal(clockTime(Date.parse('2026-11-16T02:10:00Z'), evening, 'UTC'), '02:10 on 16 November')
})

test('what counts as today is up to the zone of the reader', () => {
  assert.equal(clockTime(Date.parse('2026-11-16T02:10:00Z'), evening, 'America/New_York'), '21:10')
})
