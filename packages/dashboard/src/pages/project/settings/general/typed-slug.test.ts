import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typedSlug } from './typed-slug.ts'

test('a slug stays as it is', () => {
  assert.equal(typedSlug(' hand-book '), 'hand-book')
})

test('the address of a site gives its first label', () => {
  assert.equal(typedSlug('https://Handbook.masthead.localhost:8080/docs/'), 'handbook')
  assert.equal(typedSlug('handbook.masthead.localhost'), 'handbook')
})

test('a title becomes the slug that it suggests', () => {
  assert.equal(typedSlug('The Übersicht 2'), 'the-ubersicht-2')
})

test('what no slug can be made of is left for the API to refuse', () => {
  assert.equal(typedSlug('…'), '…')
  assert.equal(typedSlug('API'), 'api')
})
