import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockTime } from './clock-time.ts'

const now = Date.parse('2026-11-15T18:48:00Z')

test('a time of today is told by the clock alone', () => {
  assert.equal(clockTime(Date.parse('2026-11-15T18:51:40Z'), now, 'UTC'), '18:51')
})

test('a time of another day names the day', () => {
  assert.equal(clockTime(Date.parse('2026-11-16T02:10:00Z'), now, 'UTC'), '02:10 on 16 November')
})

test('what counts as today is up to the zone of the reader', () => {
  assert.equal(clockTime(Date.parse('2026-11-16T02:10:00Z'), now, 'America/New_York'), '21:10')
})
