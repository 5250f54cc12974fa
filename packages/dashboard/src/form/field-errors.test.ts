import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@masthead/client/errors.ts'
import { constraintError, fieldErrorsOf } from './field-errors.ts'

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

test('each field gets its message as a sentence, however the path is written', () => {
  const error = refusal(
    { path: 'email', message: 'is not an address' },
    { path: '/password', message: 'Too short.' },
  )
  assert.deepEqual(fieldErrorsOf(error, fields), { email: 'Is not an address.', password: 'Too short.' })
})

test('a field with two errors shows the first', () => {
  const error = refusal({ path: 'email', message: 'first' }, { path: 'email', message: 'second' })
  assert.deepEqual(fieldErrorsOf(error, fields), { email: 'First.' })
})

test('an error about a field that the form lacks is shown as a whole', () => {
  assert.equal(fieldErrorsOf(refusal({ path: 'token', message: 'is missing' }), fields), null)
})

test('an error that is not about fields is shown as a whole', () => {
  assert.equal(fieldErrorsOf(refusal(), fields), null)
  assert.equal(fieldErrorsOf(new Error('no'), fields), null)
})

test('a hostname at the start of a sentence is not capitalized', () => {
  const error = refusal({ path: 'domains.redirects.0.to', message: 'acme.com redirects itself' })
  assert.deepEqual(fieldErrorsOf(error, new Set(['to'])), { to: 'acme.com redirects itself.' })
})

const fine = {
  valid: true,
  valueMissing: false,
  typeMismatch: false,
  tooShort: false,
  patternMismatch: false,
}
const broken = (kind: keyof typeof fine, { type = 'text', title = '' } = {}) =>
  constraintError({ type, title, minLength: 10, validity: { ...fine, valid: false, [kind]: true } })

test('a valid input has no message', () => {
  assert.equal(constraintError({ type: 'text', title: '', minLength: -1, validity: fine }), null)
})

test('the message says what to do', () => {
  assert.equal(broken('valueMissing'), 'This field is required.')
  assert.equal(broken('typeMismatch', { type: 'email' }), 'Enter a valid email address.')
  assert.equal(broken('tooShort'), 'Use at least 10 characters.')
})

test('a pattern mismatch shows the title of the input', () => {
  assert.equal(broken('patternMismatch', { title: 'Type it again.' }), 'Type it again.')
  assert.equal(broken('patternMismatch'), 'This value is not valid.')
})
