import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainStateNames } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { domainWith, failedCertificate, heldCertificate } from './domain.test-kit.ts'
import { foldDomains, needsAttention, sortByUrgency, statusWords } from './status-words.ts'

const words = (domain: Partial<Domain>) => {
  const { tone, title } = statusWords(domainWith(domain))
  return `${tone}: ${title}`
}

test('every state has its title and tone', () => {
  assert.deepEqual(
    domainStateNames.map((state) => words({ state })),
    [
      'waiting: Waiting for DNS',
      'waiting: Prepared',
      'waiting: Verified',
      'live: Live',
      'waiting: Drifted',
      'stopped: Stopped',
      'idle: Suspended',
    ],
  )
})

test('a certificate that needs a person is refused; one that is retried is delayed', () => {
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

test('a failed renewal does not change the status of a live domain', () => {
  const { lastError } = failedCertificate()
  assert.equal(words({ state: 'live', certificate: { ...heldCertificate, lastError } }), 'live: Live')
})

const inState = (state: Domain['state'], hostname: string): Domain => domainWith({ state, hostname })
const names = (domains: readonly Domain[]) => domains.map(({ hostname }) => hostname)

test('stopped domains come first, then waiting ones, then the rest in order', () => {
  const domains = [
    inState('live', 'a.com'),
    inState('pending', 'b.com'),
    inState('failed', 'c.com'),
    inState('live', 'd.com'),
    inState('drifted', 'e.com'),
  ]
  assert.deepEqual(names(sortByUrgency(domains)), ['c.com', 'b.com', 'e.com', 'a.com', 'd.com'])
  assert.deepEqual(names(domains.filter(needsAttention)), ['c.com', 'e.com'])
})

test('a long list folds, except for what needs attention and the domain that was just added', () => {
  const live = Array.from({ length: 30 }, (_, at) => inState('live', `live-${at}.com`))
  const waiting = Array.from({ length: 12 }, (_, at) => inState('pending', `waiting-${at}.com`))
  const failed = Array.from({ length: 12 }, (_, at) => inState('failed', `failed-${at}.com`))
  assert.equal(foldDomains(live.slice(0, 10), null).shown.length, 10)
  assert.deepEqual(names(foldDomains(live, null).live), names(live.slice(10)))
  const mixed = foldDomains([...live, ...waiting], 'waiting-11.com')
  assert.deepEqual(names(mixed.shown), names([...waiting.slice(0, 9), ...waiting.slice(11)]))
  assert.deepEqual(names(mixed.others), ['waiting-9.com', 'waiting-10.com'])
  assert.equal(mixed.live.length, 30)
  assert.deepEqual(names(foldDomains([...waiting, ...failed], null).shown), names(failed))
})
