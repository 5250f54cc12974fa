import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeLeft } from './time-left.ts'

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
