import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import {
  checkWith,
  cname,
  domainWith,
  failedCertificate,
  heldCertificate,
  noon,
  rightCheck,
} from './domain.test-kit.ts'
import { steps } from './steps.ts'

function at(domain: Partial<Domain>): string {
  return steps(domainWith(domain))
    .map((step) => step.at)
    .join(' ')
}

function words(domain: Partial<Domain>, step: 0 | 1 | 2): string {
  const [first] = steps(domainWith(domain))[step].words
  return typeof first === 'string' ? first : ''
}

test('the current step moves from the record to the certificate to live', () => {
  assert.equal(at({}), 'now ahead ahead')
  assert.equal(at({ state: 'verified' }), 'done now ahead')
  assert.equal(at({ state: 'verified', certificate: heldCertificate }), 'done done now')
  assert.equal(at({ state: 'live', certificate: heldCertificate }), 'done done done')
})

test('a failed domain is marked at the step that failed', () => {
  assert.equal(at({ state: 'failed', lastCheck: checkWith() }), 'stopped ahead ahead')
  assert.equal(at({ state: 'failed', lastCheck: rightCheck }), 'done stopped ahead')
  assert.equal(
    at({ state: 'drifted', lastCheck: checkWith(), certificate: heldCertificate }),
    'stopped done now',
  )
  const add = { type: 'CAA', fqdn: 'acme.com', value: '0 issue "ca.example"' }
  assert.equal(at({ state: 'verified', certificate: failedCertificate({ add }) }), 'done stopped ahead')
})

test('a failed attempt that is retried does not count as stopped', () => {
  assert.equal(at({ state: 'verified', certificate: failedCertificate() }), 'done now ahead')
  assert.equal(at({ state: 'verified', certificate: failedCertificate({}, null) }), 'done stopped ahead')
})

test('each step says what it is waiting for', () => {
  assert.equal(words({}, 0), '1 change to make')
  assert.equal(words({ records: [cname, { ...cname, type: 'TXT' }] }, 0), '2 changes to make')
  assert.equal(
    words({ lastCheck: checkWith({ outcome: 'unclear' }) }, 0),
    "could not be checked; we'll retry automatically",
  )
  assert.equal(words({ records: [{ ...cname, status: 'ok' }] }, 0), 'set, but not on every nameserver yet')
  assert.equal(words({}, 1), 'starts automatically, about a minute')
  assert.equal(words({ state: 'verified' }, 1), 'in progress, about a minute')
  assert.equal(words({}, 2), 'after our test visit')
  assert.equal(words({ state: 'live', liveAt: noon }, 2), 'since ')
})
