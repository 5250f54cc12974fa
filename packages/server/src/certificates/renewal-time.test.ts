import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour } from '../kernel/clock.ts'
import { firstAriCheckAt, nextAriCheckAt, renewalWithin, usualRenewalAt } from './renewal-time.ts'

const issued = Date.UTC(2030, 0, 1)
const validFor = (days: number) => ({ notBefore: issued, notAfter: issued + days * day })

test('a certificate is renewed when a third of its lifetime is left, a short one when half is', () => {
  assert.equal(usualRenewalAt(validFor(90)), issued + 60 * day)
  assert.equal(usualRenewalAt(validFor(45)), issued + 30 * day)
  assert.equal(usualRenewalAt(validFor(7)), issued + 3.5 * day)
})

test('the renewal time is a random point in the CA’s window', () => {
  const window = { start: issued + 50 * day, end: issued + 60 * day }
  assert.equal(renewalWithin(window, validFor(90), 0), issued + 50 * day)
  assert.equal(renewalWithin(window, validFor(90), 0.5), issued + 55 * day)
})

test('a window at or past the expiry still leaves time for retries', () => {
  const window = { start: issued + 89 * day, end: issued + 95 * day }
  assert.equal(renewalWithin(window, validFor(90), 0.9), issued + 81 * day)
})

test('the CA is asked at least twice a day, spread out', () => {
  for (const random of [0, 0.5, 0.999]) {
    const next = nextAriCheckAt(0, random)
    assert.ok(next >= 6 * hour && next < 12 * hour)
    const first = firstAriCheckAt(0, random)
    assert.ok(first >= hour && first <= 6 * hour)
  }
  assert.notEqual(nextAriCheckAt(0, 0.1), nextAriCheckAt(0, 0.9))
  assert.notEqual(firstAriCheckAt(0, 0.1), firstAriCheckAt(0, 0.9))
})
