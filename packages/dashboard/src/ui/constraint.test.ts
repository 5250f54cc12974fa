import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constraintFault } from './constraint.ts'

const fine = {
  valid: true,
  valueMissing: false,
  typeMismatch: false,
  tooShort: false,
  patternMismatch: false,
}
const broken = (kind: keyof typeof fine, { type = 'text', title = '' } = {}) =>
  constraintFault({ type, title, minLength: 10, validity: { ...fine, valid: false, [kind]: true } })

test('an input that keeps its own rules has no fault', () => {
  assert.equal(constraintFault({ type: 'text', title: '', minLength: -1, validity: fine }), null)
})

test('what is wrong is told as what to do', () => {
  assert.equal(broken('valueMissing'), 'Fill this in.')
  assert.equal(broken('typeMismatch', { type: 'email' }), 'This is not an email address yet.')
  assert.equal(broken('tooShort'), 'Use at least 10 characters.')
})

test('what a pattern asks for is told by the title of its input', () => {
  assert.equal(broken('patternMismatch', { title: 'Type it again.' }), 'Type it again.')
  assert.equal(broken('patternMismatch'), 'This value is not valid.')
})
