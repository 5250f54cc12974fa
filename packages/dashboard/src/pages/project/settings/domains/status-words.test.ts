import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainStateNames } from '@masthead/contract/domain-states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { domainWith, failedCertificate, heldCertificate } from './domain.test-kit.ts'
import { statusWords } from './status-words.ts'

const words = (domain: Partial<Domain>) => {
  const { tone, title } = statusWords(domainWith(domain))
  return `${tone}: ${title}`
}

test('every state has its word and its colour', () => {
  assert.deepEqual(
    domainStateNames.map((state) => words({ state })),
    [
      'waiting: Waiting for DNS',
      'waiting: Verified',
      'live: Live',
      'waiting: Drifted',
      'stopped: Stopped',
      'idle: Suspended',
    ],
  )
})

test('a certificate that a person has to see to is refused; one that is tried again is delayed', () => {
  const add = { type: 'CAA', fqdn: 'acme.com', value: '0 issue "ca.example"' }
  assert.equal(
    words({ state: 'verified', certificate: failedCertificate({ add }) }),
    'stopped: Certificate refused',
  )
  assert.equal(
    words({ state: 'failed', certificate: failedCertificate({}, null) }),
    'stopped: Certificate refused',
  )
  assert.equal(words({ state: 'verified', certificate: failedCertificate() }), 'waiting: Certificate delayed')
})

test('a renewal that failed does not take the word of a live domain away', () => {
  const { lastError } = failedCertificate()
  assert.equal(words({ state: 'live', certificate: { ...heldCertificate, lastError } }), 'live: Live')
})
