import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customLimits, domainsWords, mayLoseWildcards, planSummary, wouldSuspend } from './plan-limits.ts'

test('an empty number of domains means no limit and is not sent', () => {
  const requests = { perMinute: '5000', perDay: '1000000' }
  assert.deepEqual(customLimits({ ...requests, domainsPerProject: '' }), {
    perMinute: 5_000,
    perDay: 1_000_000,
  })
  assert.equal(customLimits({ ...requests, domainsPerProject: '500' }).domainsPerProject, 500)
  assert.equal(customLimits({ ...requests, storage: '1.5' }).storageBytes, 1_500_000_000)
})

test('a plan is summarized by its limits and domains', () => {
  assert.equal(planSummary('pro'), '300 requests per minute, 10,000 per day, 20 domains per project.')
  assert.equal(
    planSummary('business'),
    '1,000 requests per minute, 100,000 per day, 100 domains per project, wildcards.',
  )
  assert.equal(planSummary('free'), '60 requests per minute, 1,000 per day, no custom domains.')
})

test('a custom plan has no figures', () => {
  assert.equal(planSummary('enterprise'), 'Custom limits for requests and domains.')
})

test('the limit of domains is a number, or unlimited', () => {
  assert.equal(domainsWords(1), '1 domain per project')
  assert.equal(domainsWords(1_500), '1,500 domains per project')
  assert.equal(domainsWords(null), 'unlimited domains')
})

test('only a change to a plan without domains suspends existing ones', () => {
  assert.equal(wouldSuspend(3, 'pro', 'free'), true)
  assert.equal(wouldSuspend(0, 'pro', 'free'), false)
  assert.equal(wouldSuspend(3, 'free', 'free'), false)
  assert.equal(wouldSuspend(3, 'enterprise', 'pro'), false)
})

test('a change to a plan without wildcards may suspend some', () => {
  assert.equal(mayLoseWildcards(3, 'business', 'pro'), true)
  assert.equal(mayLoseWildcards(0, 'business', 'pro'), false)
  assert.equal(mayLoseWildcards(3, 'business', 'free'), false)
  assert.equal(mayLoseWildcards(3, 'pro', 'business'), false)
})
