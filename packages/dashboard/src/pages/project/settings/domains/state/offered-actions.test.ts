import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordChange } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { checkWith, domainWith, failedCertificate, rightCheck } from './domain.test-kit.ts'
import { offeredActions } from './offered-actions.ts'

const caaChange: RecordChange = {
  action: 'add',
  type: 'CAA',
  name: '@',
  fqdn: 'acme.com',
  from: null,
  to: '0 issue "ca.example"',
  ttl: 3600,
}

function offered(domain: Partial<Domain>, page = false) {
  const { verify, reverify, instructions } = offeredActions(domainWith(domain), { page })
  return { verify, reverify, instructions }
}

test('while DNS is not correct, verifying is the primary action', () => {
  for (const state of ['pending', 'drifted', 'failed'] as const) {
    assert.deepEqual(offered({ state }), { verify: 'primary', reverify: null, instructions: true })
  }
})

test('while only the certificate is missing, re-verifying is the primary action', () => {
  const again = { verify: null, reverify: 'primary', instructions: false }
  assert.deepEqual(offered({ state: 'verified', certificate: failedCertificate() }), again)
  assert.deepEqual(offered({ state: 'verified', advice: 'reverify' }), again)
  assert.deepEqual(
    offered({ state: 'failed', lastCheck: rightCheck, certificate: failedCertificate() }),
    again,
  )
})

test('a certificate that a record would allow can be asked for in the instructions', () => {
  const lastCheck = checkWith({ ok: true, outcome: 'right', changes: [caaChange] })
  const certificate = failedCertificate({ kind: 'caa_forbids' })
  assert.equal(offered({ state: 'verified', certificate, lastCheck }).instructions, true)
  assert.equal(
    offered({ state: 'verified', certificate: failedCertificate(), lastCheck }).instructions,
    false,
  )
})

test('a working domain has no actions in the list and all of them on its page', () => {
  assert.equal(offeredActions(domainWith({ state: 'live' }), { page: false }).any, false)
  assert.deepEqual(offered({ state: 'live' }, true), {
    verify: 'plain',
    reverify: 'plain',
    instructions: false,
  })
})

test('actions that the state does not permit are not offered', () => {
  for (const page of [true, false]) {
    assert.equal(offeredActions(domainWith({ state: 'suspended', advice: 'reverify' }), { page }).any, false)
  }
})
