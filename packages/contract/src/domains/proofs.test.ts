import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { apexProofs, proofKinds, proofPrecedence, proofStates, provables } from './proofs.ts'

const guide = readFileSync(new URL('../../../../docs/domains.md', import.meta.url), 'utf8')

test('the guide has every kind of proof, what ends it, every state and every rule of precedence', () => {
  for (const { title, ends } of Object.values(proofKinds))
    assert.ok(guide.includes(`| ${title} | ${ends} |`), title)
  for (const [state, { meaning, stands }] of Object.entries(proofStates)) {
    assert.ok(guide.includes(`| ${state} | ${meaning} | ${stands ? 'yes' : 'no'} |`), state)
  }
  for (const rule of proofPrecedence) assert.ok(guide.includes(rule), rule)
})

test('everything that can be proved has a proof, and the proofs of an apex are those that say so', () => {
  const kinds = Object.entries(proofKinds)
  for (const what of Object.keys(provables)) {
    assert.ok(
      kinds.some(([, { proves }]) => proves.some((one) => one === what)),
      what,
    )
  }
  const ofApex = kinds.filter(([, { proves }]) => proves.some((one) => one === 'apex')).map(([name]) => name)
  assert.deepEqual(Object.keys(apexProofs).sort(), ofApex.sort())
})
