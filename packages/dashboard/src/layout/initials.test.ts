import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initials } from './initials.ts'

test('initials come from the first and the last name', () => {
  assert.equal(initials('Ada Lovelace'), 'AL')
  assert.equal(initials('  jean-luc de la Tour '), 'JT')
  assert.equal(initials('Élodie'), 'É')
  assert.equal(initials('𝒜da 李'), '𝒜李')
})

test('a name without letters has no initials', () => {
  assert.equal(initials('—'), '')
})
