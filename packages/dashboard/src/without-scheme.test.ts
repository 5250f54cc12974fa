import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutScheme } from './without-scheme.ts'

test('an address is written without its scheme and its last slash, with its port', () => {
  assert.equal(withoutScheme('https://docs.acme.dev/'), 'docs.acme.dev')
  assert.equal(withoutScheme('http://xn--bcher-kva.xn--p1ai:8080'), 'bücher.рф:8080')
  assert.equal(withoutScheme('http://docs.masthead.localhost:8080'), 'docs.masthead.localhost:8080')
})
