import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockTime, exactTime, relativeTime, timeLeft } from './time-words.ts'

const noon = Date.parse('2026-11-15T12:00:00Z')
const ago = (ms: number) => relativeTime(noon - ms, noon)

test('past times use whole units, rounded down', () => {
  assert.equal(ago(0).words, 'just now')
  assert.equal(ago(12_000).words, '12 seconds ago')
  assert.equal(ago(60_000).words, '1 minute ago')
  assert.equal(ago(59 * 60_000 + 59_999).words, '59 minutes ago')
  assert.equal(ago(3_600_000).words, '1 hour ago')
  assert.equal(ago(47 * 3_600_000).words, '1 day ago')
  assert.equal(ago(29 * 86_400_000).words, '29 days ago')
})

test('times more than thirty days away are shown as a date', () => {
  const shown = relativeTime(Date.parse('2026-01-03T12:00:00Z'), noon)
  assert.equal(shown.words, 'on 3 January 2026')
  assert.equal(shown.changesIn, null)
})

test('future times are rounded down', () => {
  assert.equal(relativeTime(noon + 599_999, noon).words, 'in 9 minutes')
  assert.equal(relativeTime(noon + 59_999, noon).words, 'in 59 seconds')
  assert.equal(relativeTime(noon + 2_000, noon).words, 'in a moment')
})

test('days ahead are rounded, so seven days do not become six a moment later', () => {
  const hour = 3_600_000
  assert.equal(relativeTime(noon + 7 * 24 * hour - 1_500, noon).words, 'in 7 days')
  assert.equal(relativeTime(noon + 6.6 * 24 * hour, noon).words, 'in 7 days')
  assert.equal(relativeTime(noon + 6.4 * 24 * hour, noon).words, 'in 6 days')
  assert.equal(relativeTime(noon + 24 * hour, noon).words, 'in 1 day')
  assert.equal(relativeTime(noon + 24 * hour - 1, noon).words, 'in 23 hours')
})

test('the words change exactly when announced', () => {
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

test('the exact time includes its zone', () => {
  assert.match(exactTime(noon, 'UTC'), /15 November 2026.*12:00:00 UTC/)
})

const now = Date.parse('2026-11-15T18:48:00Z')
const words = (left: number) => timeLeft(now + left, now)?.words

test('the time left uses the two largest units, rounded down', () => {
  assert.equal(words(23_999), '23 s')
  assert.equal(words(400), '1 s')
  assert.equal(words(179_000), '2 min')
  assert.equal(words(18_720_000), '5 h 12 min')
  assert.equal(words(7_200_000), '2 h')
  assert.equal(words(47 * 3_600_000 + 52 * 60_000), '47 h 52 min')
  assert.equal(words(30 * 86_400_000 + 4 * 3_600_000), '30 days 4 h')
})

test('there is no time left once it is over', () => {
  assert.equal(timeLeft(now, now), null)
  assert.equal(timeLeft(now - 1, now), null)
})

test('the words change exactly when announced', () => {
  for (const left of [1, 999, 1_500, 2_000, 23_456, 60_000, 61_000, 3_599_999, 3_600_000, 90_061_000, 2e8]) {
    const until = now + left
    const shown = timeLeft(until, now)
    assert.ok(shown !== null && shown.changesIn > 0)
    assert.equal(timeLeft(until, now + shown.changesIn - 1)?.words, shown.words, `${left} before the change`)
    assert.notEqual(timeLeft(until, now + shown.changesIn)?.words, shown.words, `${left} at the change`)
  }
})

const evening = Date.parse('2026-11-15T18:48:00Z')

test('a time today has no date', () => {
  assert.equal(clockTime(Date.parse('2026-11-15T18:51:40Z'), evening, 'UTC'), '18:51')
})

test('a time on another day has its date', () => {
  assert.equal(clockTime(Date.parse('2026-11-16T02:10:00Z'), evening, 'UTC'), '02:10 on 16 November')
})

test('today depends on the time zone of the reader', () => {
  assert.equal(clockTime(Date.parse('2026-11-16T02:10:00Z'), evening, 'America/New_York'), '21:10')
})
