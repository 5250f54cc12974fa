import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { clockTime, formatCount, formatDuration, timeAgo } from './format.ts'

test('sizes have one decimal and the unit that keeps them short', () => {
  const sizes = [0, 999, 1000, 45_200, 999_949, 999_950, 1_000_000, 1_073_741_824]
  assert.deepEqual(sizes.map(formatBytes), [
    '0 B',
    '999 B',
    '1.0 kB',
    '45.2 kB',
    '999.9 kB',
    '1.0 MB',
    '1.0 MB',
    '1.1 GB',
  ])
})

test('one thing is not many', () => {
  assert.deepEqual(
    [0, 1, 999, 20_000, 1_234_567].map((n) => formatCount(n, 'file')),
    ['0 files', '1 file', '999 files', '20,000 files', '1,234,567 files'],
  )
})

test('durations are never told shorter than they are', () => {
  const durations = [0, 412, 2000, 9949, 9950, 23_000, 63_000, 119_001, 120_000, 120_001]
  durations.push(3_600_000, 3_600_001, 86_340_000, 86_340_001, 90_000_000)
  assert.deepEqual(durations.map(formatDuration), [
    '0 s',
    '0.4 s',
    '2 s',
    '9.9 s',
    '10 s',
    '23 s',
    '63 s',
    '120 s',
    '2 min',
    '3 min',
    '1 h',
    '1 h 1 min',
    '23 h 59 min',
    '1 d',
    '1 d 1 h',
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

test('a time is told with the day only where it is another day', () => {
  const now = new Date(2026, 10, 14, 12, 0).getTime()
  const local = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString()
  assert.equal(clockTime(local(2026, 10, 14, 9, 5), now), '09:05')
  assert.equal(clockTime(local(2026, 10, 16, 9, 5), now), '16 Nov 09:05')
  assert.equal(clockTime(local(2027, 0, 2, 0, 0), now), '2 Jan 2027 00:00')
})
