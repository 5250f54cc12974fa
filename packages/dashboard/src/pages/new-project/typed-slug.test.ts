import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typedSlug } from './typed-slug.ts'

test('a slug is accepted however it was typed or pasted', () => {
  for (const typed of [
    'acme-docs',
    ' Acme Docs ',
    'https://ACME-docs.masthead.localhost:8080/',
    'acme-docs.masthead.localhost',
    'acme--docs',
  ]) {
    assert.equal(typedSlug(typed, 'masthead.localhost'), 'acme-docs', typed)
  }
})

test('anything else stays as typed, to be corrected', () => {
  assert.equal(typedSlug('日本語', 'masthead.localhost'), '日本語')
  assert.equal(typedSlug('admin', 'masthead.localhost'), 'admin')
  assert.equal(typedSlug('', 'masthead.localhost'), '')
})
