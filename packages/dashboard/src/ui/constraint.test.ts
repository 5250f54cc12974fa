import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constraintFault } from './constraint.ts'

const fine = { valid: true, valueMissing: false, typeMismatch: false, tooShort: false }
const broken = (kind: 'valueMissing' | 'typeMismatch' | 'tooShort', type = 'text') =>
  constraintFault({ type, minLength: 10, validity: { ...fine, valid: false, [kind]: true } })

test('an input that keeps its own rules has no fault', () => {
  assert.equal(constraintFault({ type: 'text', minLength: -1, validity: fine }), null)
})

test('what is wrong is told as what to do', () => {
  assert.equal(broken('valueMissing'), 'Fill this in.')
  assert.equal(broken('typeMismatch', 'email'), 'This is not an email address yet.')
  assert.equal(broken('tooShort'), 'Use at least 10 characters.')
})
