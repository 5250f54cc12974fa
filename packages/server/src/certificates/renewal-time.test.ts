import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour } from '../kernel/clock.ts'
import { firstAriCheckAt, nextAriCheckAt, renewalWithin, usualRenewalAt } from './renewal-time.ts'

const validFor = (days: number) => ({ notBefore: 0, notAfter: days * day })

test('a certificate is renewed when a third of its lifetime is left, a short one when half is', () => {
  assert.equal(usualRenewalAt(validFor(90)), 60 * day)
  assert.equal(usualRenewalAt(validFor(45)), 30 * day)
  assert.equal(usualRenewalAt(validFor(7)), 3.5 * day)
})

test('the CA is followed to a random point of its window', () => {
  const window = { start: 50 * day, end: 60 * day }
  assert.equal(renewalWithin(window, validFor(90), 0), 50 * day)
  assert.equal(renewalWithin(window, validFor(90), 0.5), 55 * day)
})

test('a window at the very end, or behind it, leaves some time to try again in', () => {
  assert.equal(renewalWithin({ start: 89 * day, end: 95 * day }, validFor(90), 0.9), 81 * day)
})

test('the CA is asked at least twice a day, and not about everything at once', () => {
  for (const random of [0, 0.5, 0.999]) {
    const next = nextAriCheckAt(0, random)
    assert.ok(next >= 6 * hour && next < 12 * hour)
    assert.ok(firstAriCheckAt(0, random) <= 6 * hour)
  }
  assert.notEqual(nextAriCheckAt(0, 0.1), nextAriCheckAt(0, 0.9))
})
