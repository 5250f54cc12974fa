import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationWords, expiresAt, isExpiryChoice, type KeyBan, keyState } from './key.ts'

const now = Date.parse('2026-11-15T18:48:00Z')
const at = (ms: number) => new Date(now + ms).toISOString()
const banUntil = (ms: number): KeyBan => ({
  keyId: 'key_06d8f2k4m9q1s7x3b5n0',
  keyName: 'scraper',
  since: at(-120_000),
  until: at(ms),
  violations: 612,
  nextBanSeconds: 900,
})

test('a key is active until it expires', () => {
  assert.deepEqual(keyState({ expiresAt: null }, undefined, now), { is: 'active', until: null })
  assert.deepEqual(keyState({ expiresAt: at(1000) }, undefined, now), { is: 'active', until: now + 1000 })
  assert.deepEqual(keyState({ expiresAt: at(0) }, undefined, now), { is: 'expired' })
})

test('a banned key is active again when the ban has ended', () => {
  assert.deepEqual(keyState({ expiresAt: null }, banUntil(180_000), now), {
    is: 'banned',
    until: now + 180_000,
  })
  assert.equal(keyState({ expiresAt: null }, banUntil(0), now).is, 'active')
})

test('a banned key that has expired is expired', () => {
  assert.equal(keyState({ expiresAt: at(-1) }, banUntil(180_000), now).is, 'expired')
})

const expiryNow = Date.parse('2026-11-15T18:48:00Z')

test('a key expires after the chosen number of days, or never', () => {
  assert.equal(expiresAt('never', '', expiryNow), null)
  assert.equal(expiresAt('month', '', expiryNow), '2026-12-15T18:48:00.000Z')
  assert.equal(expiresAt('quarter', '', expiryNow), '2027-02-13T18:48:00.000Z')
  assert.equal(expiresAt('year', '', expiryNow), '2027-11-15T18:48:00.000Z')
})

test('a key with a date works until the end of that day in the time zone of the reader', () => {
  const end = new Date(expiresAt('date', '2027-01-31', expiryNow) ?? '')
  assert.deepEqual([end.getMonth(), end.getDate(), end.getHours(), end.getMinutes()], [0, 31, 23, 59])
})

test('only known choices are accepted', () => {
  assert.ok(isExpiryChoice('date'))
  assert.ok(!isExpiryChoice('constructor'))
})

test('a duration uses the largest unit that divides it evenly', () => {
  const result = [300, 900, 3_600, 21_600, 86_400, 90, 5_400].map(durationWords)
  assert.deepEqual(result, [
    '5 minutes',
    '15 minutes',
    '1 hour',
    '6 hours',
    '1 day',
    '90 seconds',
    '90 minutes',
  ])
})
