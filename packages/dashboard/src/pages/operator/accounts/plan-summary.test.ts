import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planSummary, wouldSuspend } from './plan-summary.ts'

test('a plan is told by its limits and its domains', () => {
  assert.equal(planSummary('pro'), '300 requests a minute, 10,000 a day, 20 domains a project of their own.')
  assert.equal(planSummary('free'), '60 requests a minute, 1,000 a day, no domains of their own.')
})

test('a plan that is agreed upon names no figures', () => {
  assert.equal(planSummary('enterprise'), 'Limits as agreed, domains of their own.')
})

test('only a change to a plan without domains suspends those that there are', () => {
  assert.equal(wouldSuspend(3, 'pro', 'free'), true)
  assert.equal(wouldSuspend(0, 'pro', 'free'), false)
  assert.equal(wouldSuspend(3, 'free', 'free'), false)
  assert.equal(wouldSuspend(3, 'enterprise', 'pro'), false)
})
