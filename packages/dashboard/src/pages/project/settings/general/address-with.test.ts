import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressWith } from './address-with.ts'

test('only the first label changes, the port stays', () => {
  assert.equal(addressWith('http://old.pages.acme.dev:8080/', 'new'), 'new.pages.acme.dev:8080')
})

test('a slug is taken as it is, also where it looks like a pattern', () => {
  assert.equal(addressWith('https://old.acme.dev', '$&'), '$&.acme.dev')
})
