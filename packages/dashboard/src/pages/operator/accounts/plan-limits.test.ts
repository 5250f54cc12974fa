import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreedLimits, domainsWords, planSummary, wouldSuspend } from './plan-limits.ts'

test('an empty number of domains is any number, and none is sent', () => {
  const requests = { perMinute: '5000', perDay: '1000000' }
  assert.deepEqual(agreedLimits({ ...requests, domainsPerProject: '' }), {
    perMinute: 5_000,
    perDay: 1_000_000,
  })
  assert.equal(agreedLimits({ ...requests, domainsPerProject: '500' }).domainsPerProject, 500)
  assert.equal(agreedLimits({ ...requests, storage: '1.5' }).storageBytes, 1_500_000_000)
})

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
