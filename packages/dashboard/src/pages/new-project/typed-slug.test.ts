import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typedSlug } from './typed-slug.ts'

test('a slug is understood however it was typed or pasted', () => {
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

test('what cannot be understood stays as it was typed, to be put right', () => {
  assert.equal(typedSlug('日本語', 'masthead.localhost'), '日本語')
  assert.equal(typedSlug('admin', 'masthead.localhost'), 'admin')
  assert.equal(typedSlug('', 'masthead.localhost'), '')
})
