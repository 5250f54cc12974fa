import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainWith, heldCertificate, later } from './domain.test-kit.ts'
import { renewalWords } from './renewal-words.ts'

const held = (more: Partial<typeof heldCertificate>) =>
  renewalWords(domainWith({ state: 'live', certificate: { ...heldCertificate, ...more } }))

test('a renewal is told as it stands, with what went wrong on the way', () => {
  assert.equal(held({}), 'By itself, well before it ends')
  assert.equal(held({ nextAttemptAt: later }), 'Under way')
  assert.equal(held({ nextAttemptAt: later, attempts: 1 }), 'Under way, one attempt failed')
  assert.equal(held({ nextAttemptAt: later, attempts: 3 }), 'Under way, 3 attempts failed')
})

test('no renewal is promised while DNS points elsewhere', () => {
  const drifted = domainWith({ state: 'drifted', certificate: heldCertificate })
  assert.equal(renewalWords(drifted), 'By itself, once DNS points here again')
})
