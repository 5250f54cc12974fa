import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@masthead/client/errors.ts'
import { plans } from '@masthead/contract/plans.ts'
import { nextPlan, planFigures, planWithDomains, suspendedNames } from './plan-words.ts'

test('figures are written for people', () => {
  assert.deepEqual(planFigures('business'), [
    { value: '100', unit: 'domains a project' },
    { value: '1,000', unit: 'requests a minute' },
    { value: '100,000', unit: 'requests a day' },
    { value: '250 GB', unit: 'storage' },
  ])
  assert.equal(planFigures('free').at(0)?.value, 'No')
})

test('what is agreed per account is told as that, or by its figures where the account has it', () => {
  const requests = { perMinute: 5_000, perDay: 2_000_000, storageBytes: 2_500_000_000_000 }
  assert.deepEqual(
    planFigures('enterprise').map(({ value }) => value),
    ['As agreed', 'As agreed', 'As agreed', 'As agreed'],
  )
  assert.deepEqual(
    planFigures('enterprise', { ...requests, domainsPerProject: 500 }).map(({ value }) => value),
    ['500', '5,000', '2,000,000', '2,500 GB'],
  )
  assert.equal(planFigures('enterprise', { ...requests, domainsPerProject: null }).at(0)?.value, 'Any number')
})

test('the next plan up is one that needs no agreement', () => {
  assert.equal(nextPlan('free'), 'pro')
  assert.equal(nextPlan('business'), null)
  assert.equal(nextPlan('enterprise'), null)
})

test('the plan to upgrade to for domains comes with some', () => {
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

test('the names that a downgrade would suspend are read from its refusal', () => {
  assert.deepEqual(
    suspendedNames(refused('domains_would_suspend', { domains: ['acme.com', 'docs.acme.com'] })),
    ['acme.com', 'docs.acme.com'],
  )
})

test('a refusal without names is still one about domains', () => {
  assert.deepEqual(suspendedNames(refused('domains_would_suspend')), [])
})

test('another refusal is not about domains', () => {
  assert.equal(suspendedNames(refused('billing_external')), null)
  assert.equal(suspendedNames(new Error('no connection')), null)
})
