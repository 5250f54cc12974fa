import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressWith, changedFields, typedSlug } from './form-values.ts'

const stored = { name: 'Handbook', singlePage: true }

test('only fields that differ from the stored values are sent', () => {
  assert.deepEqual(changedFields({ name: 'Guide', singlePage: true }, stored), { name: 'Guide' })
  assert.deepEqual(changedFields({ singlePage: false }, stored), { singlePage: false })
})

test('a field that was reset, or never touched, is not a change', () => {
  assert.deepEqual(changedFields({ name: 'Handbook' }, stored), {})
  assert.deepEqual(changedFields({}, stored), {})
})

test('only the first label changes, and the port stays', () => {
  assert.equal(addressWith('http://old.pages.acme.dev:8080/', 'new'), 'new.pages.acme.dev:8080')
})

test('a slug that looks like a replacement pattern is used literally', () => {
  assert.equal(addressWith('https://old.acme.dev', '$&'), '$&.acme.dev')
})

test('a slug stays as it is', () => {
  assert.equal(typedSlug(' hand-book '), 'hand-book')
})

test('an address yields its first label', () => {
  assert.equal(typedSlug('https://Handbook.masthead.localhost:8080/docs/'), 'handbook')
  assert.equal(typedSlug('handbook.masthead.localhost'), 'handbook')
})

test('a title becomes a slug', () => {
  assert.equal(typedSlug('The Übersicht 2'), 'the-ubersicht-2')
})

test('anything else is left for the API to reject', () => {
  assert.equal(typedSlug('…'), '…')
  assert.equal(typedSlug('API'), 'api')
})
