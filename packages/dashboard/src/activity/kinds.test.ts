import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed, projectKinds } from './kinds.ts'

test('an address that asks for no kind, or for one that does not exist, asks for all', () => {
  assert.equal(kindNamed('domain'), 'domain')
  assert.equal(kindNamed(null), undefined)
  assert.equal(kindNamed('__proto__'), undefined)
})

test('a project has no keys to ask for', () => {
  assert.equal(kindNamed('key', projectKinds), undefined)
})
