import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@masthead/client/errors.ts'
import { plans } from '@masthead/contract/plans.ts'
import { nextPlan, planFigures, planWithDomains, suspendedNames } from './plan-words.ts'

test('figures are formatted', () => {
  assert.deepEqual(planFigures('business'), [
    { value: '100', unit: 'domains per project' },
    { value: '1,000', unit: 'requests per minute' },
    { value: '100,000', unit: 'requests per day' },
    { value: '250 GB', unit: 'storage' },
    { value: 'Yes', unit: 'wildcard domains' },
  ])
  assert.equal(planFigures('free').at(0)?.value, 'No')
})

test('a custom plan shows the limits of the account, or none', () => {
  const requests = { perMinute: 5_000, perDay: 2_000_000, storageBytes: 2_500_000_000_000 }
  assert.deepEqual(
    planFigures('enterprise').map(({ value }) => value),
    ['Custom', 'Custom', 'Custom', 'Custom', 'Yes'],
  )
  assert.deepEqual(
    planFigures('enterprise', { ...requests, domainsPerProject: 500 }).map(({ value }) => value),
    ['500', '5,000', '2,000,000', '2.5 TB', 'Yes'],
  )
  assert.equal(planFigures('enterprise', { ...requests, domainsPerProject: null }).at(0)?.value, 'Unlimited')
})

test('the next plan up is never the custom one', () => {
  assert.equal(nextPlan('free'), 'pro')
  assert.equal(nextPlan('business'), null)
  assert.equal(nextPlan('enterprise'), null)
})

test('the plan to upgrade to has custom domains', () => {
  assert.notEqual(plans[planWithDomains()].customDomains, 0)
})

function refused(code: 'domains_would_suspend' | 'billing_external', extra = {}) {
  return new ProblemError({
    type: code,
    title: code,
    status: 409,
    detail: '',
    code,
    requestId: 'req_1',
    ...extra,
  })
}

test('the domains that a downgrade would suspend come from the error', () => {
  assert.deepEqual(
    suspendedNames(refused('domains_would_suspend', { domains: ['acme.com', 'docs.acme.com'] })),
    ['acme.com', 'docs.acme.com'],
  )
})

test('an error without names is still about domains', () => {
  assert.deepEqual(suspendedNames(refused('domains_would_suspend')), [])
})

test('other errors are not about domains', () => {
  assert.equal(suspendedNames(refused('billing_external')), null)
  assert.equal(suspendedNames(new Error('no connection')), null)
})
