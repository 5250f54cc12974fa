import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainsWords, planSummary, wouldSuspend } from './plan-summary.ts'

test('a plan is told by its limits and its domains', () => {
  assert.equal(planSummary('pro'), '300 requests a minute, 10,000 a day, 20 domains a project of their own.')
  assert.equal(planSummary('free'), '60 requests a minute, 1,000 a day, no domains of their own.')
})

test('a plan that is agreed upon names no figures', () => {
  assert.equal(planSummary('enterprise'), 'Requests and domains as agreed.')
})

test('the domains of a project are told by their number, or that any number may be', () => {
  assert.equal(domainsWords(1), 'one domain a project')
  assert.equal(domainsWords(1_500), '1,500 domains a project')
  assert.equal(domainsWords(null), 'any number of domains')
})

test('only a change to a plan without domains suspends those that there are', () => {
  assert.equal(wouldSuspend(3, 'pro', 'free'), true)
  assert.equal(wouldSuspend(0, 'pro', 'free'), false)
  assert.equal(wouldSuspend(3, 'free', 'free'), false)
  assert.equal(wouldSuspend(3, 'enterprise', 'pro'), false)
})
