import assert from 'node:assert/strict'
import { test } from 'node:test'
import { humanDuration, timeAgo } from './human-time.ts'

test('durations are never told shorter than they are', () => {
  const durations = [0, 412, 2000, 9949, 9950, 23_000, 59_001, 60_000, 60_001, 3_600_000, 90_000_000]
  assert.deepEqual(durations.map(humanDuration), [
    '0 s',
    '0.4 s',
    '2 s',
    '9.9 s',
    '10 s',
    '23 s',
    '60 s',
    '1 min',
    '2 min',
    '1 h',
    '2 d',
  ])
})

test('times past are told by their distance, old ones by their date', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  const told = [
    '2026-03-01T12:00:05Z',
    '2026-03-01T11:55:00Z',
    '2026-03-01T09:30:00Z',
    '2026-02-26T12:00:00Z',
    '2026-01-01T00:00:00Z',
  ]
  assert.deepEqual(
    told.map((iso) => timeAgo(iso, now)),
    ['just now', '5 min ago', '2 h ago', '3 d ago', '2026-01-01'],
  )
})
