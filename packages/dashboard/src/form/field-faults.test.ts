import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@masthead/client/errors.ts'
import { constraintFault, fieldFaults } from './field-faults.ts'

const refusal = (...errors: { path: string; message: string }[]) =>
  new ProblemError({
    type: 'about:blank',
    title: '',
    status: 422,
    code: 'invalid_input',
    detail: '',
    requestId: 'req_1',
    errors,
  })
const fields = new Set(['email', 'password'])

test('each fault stands at its field, as a sentence, however the path is written', () => {
  const error = refusal(
    { path: 'email', message: 'is not an address' },
    { path: '/password', message: 'Too short.' },
  )
  assert.deepEqual(fieldFaults(error, fields), { email: 'Is not an address.', password: 'Too short.' })
})

test('the first of two faults of one field is told', () => {
  const error = refusal({ path: 'email', message: 'first' }, { path: 'email', message: 'second' })
  assert.deepEqual(fieldFaults(error, fields), { email: 'First.' })
})

test('a fault of a field that the form does not have is told as a whole', () => {
  assert.equal(fieldFaults(refusal({ path: 'token', message: 'is missing' }), fields), null)
})

test('what is not about fields is told as a whole', () => {
  assert.equal(fieldFaults(refusal(), fields), null)
  assert.equal(fieldFaults(new Error('no'), fields), null)
})

test('a name at the start of a sentence keeps its letters', () => {
  const error = refusal({ path: 'domains.redirects.0.to', message: 'acme.com redirects itself' })
  assert.deepEqual(fieldFaults(error, new Set(['to'])), { to: 'acme.com redirects itself.' })
})

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
