import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainStateNames, isServed } from '@masthead/contract/domains/states.ts'
import { certificateNeed } from './certificate-need.ts'

test('a domain that starts to be served gets a certificate, and so does one that recovers', () => {
  assert.equal(certificateNeed({ held: 0, state: 'pending' }, { held: 1, state: 'verified' }), 'get')
  assert.equal(certificateNeed({ held: 1, state: 'suspended' }, { held: 1, state: 'verified' }), 'get')
  assert.equal(certificateNeed({ held: 1, state: 'drifted' }, { held: 1, state: 'live' }), 'get')
})

test('a domain that stays served keeps its certificate', () => {
  for (const [before, after] of [
    ['verified', 'verified'],
    ['verified', 'live'],
    ['live', 'drifted'],
    ['live', 'verified'],
  ] as const) {
    assert.equal(certificateNeed({ held: 1, state: before }, { held: 1, state: after }), null)
  }
})

test('a domain whose DNS is no longer right keeps its certificate until it fails', () => {
  assert.equal(certificateNeed({ held: 1, state: 'verified' }, { held: 1, state: 'pending' }), null)
  assert.equal(certificateNeed({ held: 1, state: 'pending' }, { held: 1, state: 'failed' }), 'drop')
})

test('losing the name, the plan or the domain drops the certificate', () => {
  for (const state of domainStateNames.filter(isServed)) {
    assert.equal(certificateNeed({ held: 1, state }, { held: 0, state: 'failed' }), 'drop')
    assert.equal(certificateNeed({ held: 1, state }, { held: 1, state: 'suspended' }), 'drop')
    assert.equal(certificateNeed({ held: 1, state }, null), 'drop')
  }
})

test('an account that does not hold the name can neither get nor drop its certificate', () => {
  for (const before of domainStateNames) {
    for (const after of domainStateNames) {
      assert.equal(certificateNeed({ held: 0, state: before }, { held: 0, state: after }), null)
    }
    assert.equal(certificateNeed({ held: 0, state: before }, null), null)
  }
})
