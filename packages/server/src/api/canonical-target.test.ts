import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalTarget, pathOf } from './canonical-target.ts'

test('spellings of one target become the same', () => {
  for (const spelled of [
    '/v1/setup',
    '/%761/setup',
    '/v%31/se%74up',
    'http://localhost/v1/setup',
    'HTTPS://any.host:1/%76%31/setup',
  ]) {
    assert.equal(canonicalTarget(spelled), '/v1/setup', spelled)
  }
})

test('what would mean something else decoded stays encoded, and a query is left alone', () => {
  for (const kept of [
    '/v1%2Fsetup',
    '/a%3Fb',
    '/a%25b',
    '/%zz',
    '/%%37%361',
    '/%2576',
    '/a?%61=http://x/%62',
    '/a#%61',
  ]) {
    assert.equal(canonicalTarget(kept), kept)
  }
  assert.equal(canonicalTarget('http://localhost'), '/')
  assert.equal(canonicalTarget('http://localhost?a'), '/?a')
})

test('whatever is asked for, the canonical target is a path and its own canonical form', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.webPath()), (target) => {
      const once = canonicalTarget(target)
      assert.ok(pathOf(once).startsWith('/'))
      assert.equal(canonicalTarget(once), once)
    }),
  )
})
