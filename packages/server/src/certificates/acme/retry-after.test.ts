import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, second } from '../../clock.ts'
import { retryAfter } from './retry-after.ts'

const now = Date.parse('2026-08-01T12:00:00Z')

test('seconds and dates are read', () => {
  assert.equal(retryAfter('30', now), now + 30 * second)
  assert.equal(retryAfter('Sat, 01 Aug 2026 12:00:05 GMT', now), now + 5 * second)
})

test('a date in the past means now, one beyond reason a month', () => {
  assert.equal(retryAfter('Fri, 31 Jul 2026 12:00:00 GMT', now), now)
  assert.equal(retryAfter('999999999999', now), now + 31 * day)
})

test('what is neither is as if nothing were said', () => {
  for (const nothing of [null, '', 'soon', '-']) assert.equal(retryAfter(nothing, now), null)
})
