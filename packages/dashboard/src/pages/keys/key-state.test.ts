import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ban, keyState } from './key-state.ts'

const now = Date.parse('2026-11-15T18:48:00Z')
const at = (ms: number) => new Date(now + ms).toISOString()
const banUntil = (ms: number): Ban => ({
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

test('a banned key that has expired does not wait for the end of its ban', () => {
  assert.equal(keyState({ expiresAt: at(-1) }, banUntil(180_000), now).is, 'expired')
})
