import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiresAt, isExpiryChoice } from './expiry.ts'

const now = Date.parse('2026-11-15T18:48:00Z')

test('a key ends as many days from now as was chosen, or never', () => {
  assert.equal(expiresAt('never', '', now), null)
  assert.equal(expiresAt('month', '', now), '2026-12-15T18:48:00.000Z')
  assert.equal(expiresAt('quarter', '', now), '2027-02-13T18:48:00.000Z')
  assert.equal(expiresAt('year', '', now), '2027-11-15T18:48:00.000Z')
})

test('a key with a date works to the end of that day where the reader is', () => {
  const end = new Date(expiresAt('date', '2027-01-31', now) ?? '')
  assert.deepEqual([end.getMonth(), end.getDate(), end.getHours(), end.getMinutes()], [0, 31, 23, 59])
})

test('only what is offered can be chosen', () => {
  assert.ok(isExpiryChoice('date'))
  assert.ok(!isExpiryChoice('constructor'))
})
