import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roleNames, roles, scopes } from '@masthead/contract/scopes.ts'
import { asRole, roleSentence } from './role-words.ts'

test('the sentence of a role names everything its scopes allow', () => {
  assert.equal(roleSentence('viewer'), `${scopes.read}.`)
  for (const role of roleNames) {
    const sentence = roleSentence(role).toLowerCase()
    for (const scope of roles[role].scopes) assert.ok(sentence.includes(scopes[scope].toLowerCase()))
    assert.match(roleSentence(role), /^[A-Z].*[^.]\.$/)
  }
})

test('a role has the right article', () => {
  assert.equal(asRole('owner'), 'an owner')
  assert.equal(asRole('viewer'), 'a viewer')
})
