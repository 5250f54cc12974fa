import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIgnored } from './ignored-files.ts'

test('what is hidden, installed or about the project is not published, wherever it lies', () => {
  for (const name of ['.git', '.env', '.DS_Store', 'node_modules', 'Thumbs.db']) {
    assert.equal(isIgnored(name, true), true, name)
    assert.equal(isIgnored(name, false), true, name)
  }
})

test('.well-known is published although it is hidden', () => {
  assert.equal(isIgnored('.well-known', true), false)
})

test('the file of a project is left out at the root only', () => {
  assert.equal(isIgnored('masthead.yaml', true), true)
  assert.equal(isIgnored('masthead.yaml', false), false)
})
