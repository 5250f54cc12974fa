import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressWith, changedFields, typedSlug } from './form-values.ts'

const stored = { name: 'Handbook', singlePage: true }

test('only what differs from what is stored is sent', () => {
  assert.deepEqual(changedFields({ name: 'Guide', singlePage: true }, stored), { name: 'Guide' })
  assert.deepEqual(changedFields({ singlePage: false }, stored), { singlePage: false })
})

test('what was set back, or never touched, is no change', () => {
  assert.deepEqual(changedFields({ name: 'Handbook' }, stored), {})
  assert.deepEqual(changedFields({}, stored), {})
})

test('only the first label changes, the port stays', () => {
  assert.equal(addressWith('http://old.pages.acme.dev:8080/', 'new'), 'new.pages.acme.dev:8080')
})

test('a slug is taken as it is, also where it looks like a pattern', () => {
  assert.equal(addressWith('https://old.acme.dev', '$&'), '$&.acme.dev')
})

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
