import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPath, anyUrl } from '@masthead/testing/any-url.ts'
import fc from 'fast-check'
import { canonicalTarget, cleanForwardedHeaders, pathOf } from './normalize-request.ts'

test('all spellings of one target become the same', () => {
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

test('characters that would mean something else when decoded stay encoded, and queries are left alone', () => {
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

test('every canonical target is a path and its own canonical form', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), anyUrl, anyPath), (target) => {
      const once = canonicalTarget(target)
      assert.ok(pathOf(once).startsWith('/'))
      assert.equal(canonicalTarget(once), once)
    }),
  )
})

function clean(forwardedFor: string): string | undefined {
  const headers = { 'x-forwarded-for': forwardedFor, 'x-forwarded-host': 'elsewhere.example' }
  cleanForwardedHeaders(headers)
  assert.equal(headers['x-forwarded-host'], undefined)
  return headers['x-forwarded-for']
}

test('an address is the same one with a port, in brackets, mapped, with a zone or in quotes', () => {
  for (const spelling of [
    '192.0.2.1',
    '192.0.2.1:80',
    '::ffff:192.0.2.1',
    '[::FFFF:192.0.2.1]:80',
    '"192.0.2.1"',
  ]) {
    assert.equal(clean(spelling), '192.0.2.1', spelling)
  }
  for (const spelling of [
    '2001:db8::1',
    '[2001:db8::1]',
    '[2001:DB8::1]:443',
    '2001:db8::1%eth0',
    '"[2001:db8::1]:1"',
  ]) {
    assert.equal(clean(spelling)?.toLowerCase(), '2001:db8::1', spelling)
  }
})

test('anything but an address ends the list, and nothing left of it counts', () => {
  assert.equal(clean('192.0.2.1, unknown, 10.0.0.1:99'), '10.0.0.1')
  for (const made of [
    'unknown',
    '_hidden',
    '',
    ',',
    '192.0.2.1:99999',
    '192.0.2.1:x',
    '[192.0.2.1',
    '1.2.3',
    'a.b.c.d',
  ]) {
    assert.equal(clean(made), undefined, made)
  }
})

test('for any header, only a few addresses remain, the last ones', () => {
  const many = Array.from({ length: 21 }, (_, n) => `192.0.2.${n}`)
  assert.deepEqual(clean(many.join(','))?.split(', '), many.slice(1))
  const hop = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string(),
    fc.ipV4().map((ip) => `${ip}:80`),
  )
  fc.assert(
    fc.property(fc.array(hop, { maxLength: 60 }), (hops) => {
      const left = clean(hops.join(','))?.split(', ') ?? []
      assert.ok(left.length <= 20)
      for (const address of left) assert.equal(clean(address), address)
    }),
  )
})
