import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExpiry } from './keys.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

test('spans count from now, dates are taken as they are', () => {
  for (const [text, at] of [
    ['12h', '2026-03-02T00:00:00.000Z'],
    ['90d', '2026-05-30T12:00:00.000Z'],
    ['4w', '2026-03-29T12:00:00.000Z'],
    ['1y', '2027-03-01T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T10:00:00+02:00', '2027-01-31T08:00:00.000Z'],
  ] as const) {
    assert.equal(parseExpiry(text, now), at, text)
  }
})

test('what is past or no time is refused', () => {
  for (const text of ['', '0d', '90', '90 days', '-1d', '2026-01-31', '2027-13-01', 'soon', '9999y']) {
    assert.throws(() => parseExpiry(text, now), { exit: 'usage' }, text)
  }
})
