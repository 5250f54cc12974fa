import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readRetryAfter } from './retry-after.ts'

test('whole seconds and HTTP dates name the same moment', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 6 }), (seconds) => {
      const now = Date.UTC(2026, 0, 1)
      assert.equal(readRetryAfter(String(seconds), now), seconds * 1000)
      assert.equal(readRetryAfter(new Date(now + seconds * 1000).toUTCString(), now), seconds * 1000)
    }),
  )
})

test('a date that has passed asks for no wait', () => {
  assert.equal(readRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', Date.UTC(2026, 0, 1)), 0)
})

test('what is neither a number nor a date says nothing', () => {
  for (const value of [null, '', 'soon', '-1', '1.5', '2026-01-01', 'Sun, never']) {
    assert.equal(readRetryAfter(value, 0), null, String(value))
  }
})
