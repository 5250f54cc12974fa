import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayLabel, minuteLabel } from './labels.ts'

test('a minute is told by the clock of the reader', () => {
  const start = Date.parse('2026-11-15T18:07:00Z')
  assert.equal(minuteLabel(start, 'UTC'), '18:07')
  assert.equal(minuteLabel(start, 'Asia/Tokyo'), '03:07')
})

test('a day is the day of the limit, which is in UTC wherever the reader is', () => {
  assert.equal(dayLabel(Date.parse('2026-11-15T00:00:00Z')), '15 Nov')
})
