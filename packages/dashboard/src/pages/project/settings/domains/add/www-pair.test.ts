import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looksLikeHostname, withWwwPair, wwwPairOf } from './www-pair.ts'

const empty = { attached: new Set<string>(), redirects: [] }

test('an apex and its www hostname are a pair', () => {
  const apex = { hostname: 'acme.com', unicode: 'acme.com', kind: 'apex' } as const
  const www = { hostname: 'www.acme.com', unicode: 'www.acme.com', kind: 'subdomain' } as const
  assert.equal(wwwPairOf(apex, empty)?.hostname, 'www.acme.com')
  assert.equal(wwwPairOf(www, empty)?.hostname, 'acme.com')
})

test('a www pair is shown in Unicode', () => {
  const name = { hostname: 'xn--bcher-kva.example', unicode: 'bücher.example', kind: 'apex' } as const
  assert.deepEqual(wwwPairOf(name, empty), {
    hostname: 'www.xn--bcher-kva.example',
    unicode: 'www.bücher.example',
    attached: false,
    end: 'www.xn--bcher-kva.example',
  })
})

test('a subdomain without www has no pair, nor has an apex that starts with www', () => {
  assert.equal(
    wwwPairOf({ hostname: 'docs.acme.com', unicode: 'docs.acme.com', kind: 'subdomain' }, empty),
    null,
  )
  assert.equal(wwwPairOf({ hostname: 'www.com', unicode: 'www.com', kind: 'apex' }, empty), null)
})

test('a www pair that is attached and redirects ends at its target', () => {
  const pair = wwwPairOf(
    { hostname: 'www.acme.com', unicode: 'www.acme.com', kind: 'subdomain' },
    {
      attached: new Set(['acme.com', 'docs.acme.com']),
      redirects: [{ from: 'acme.com', to: 'docs.acme.com', status: 301 }],
    },
  )
  assert.equal(pair?.attached, true)
  assert.equal(pair?.end, 'docs.acme.com')
})

test('the www pair redirects to the domain, or the other way round', () => {
  const name = { hostname: 'acme.com', unicode: 'acme.com', kind: 'apex' } as const
  const pair = wwwPairOf(name, empty)
  assert.ok(pair)
  assert.deepEqual(withWwwPair(name, pair, false), {
    wwwPair: 'www.acme.com',
    redirect: { from: 'www.acme.com', to: 'acme.com' },
  })
  assert.deepEqual(withWwwPair(name, pair, true).redirect, { from: 'acme.com', to: 'www.acme.com' })
})

test('a www pair that is already attached is not added, and the domain redirects to it', () => {
  const name = { hostname: 'www.acme.com', unicode: 'www.acme.com', kind: 'subdomain' } as const
  const pair = wwwPairOf(name, { attached: new Set(['acme.com']), redirects: [] })
  assert.ok(pair)
  assert.deepEqual(withWwwPair(name, pair, false), {
    wwwPair: null,
    redirect: { from: 'www.acme.com', to: 'acme.com' },
  })
})

test('hostnames as people type and paste them are checked', () => {
  for (const typed of ['acme.com', 'https://WWW.Acme.com/path', 'bücher。example', 'acme.com.', '例え.jp']) {
    assert.equal(looksLikeHostname(typed), true, typed)
  }
})

test('the start of a hostname is not checked yet', () => {
  for (const typed of [
    '',
    'acme',
    'acme.',
    'acme.c',
    'https://',
    'https://acme',
    '...',
    `${'a'.repeat(400)}.com`,
  ]) {
    assert.equal(looksLikeHostname(typed), false, typed)
  }
})
