import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looksLikeHostname, withWwwPair, wwwPairOf } from './www-pair.ts'

const empty = { attached: new Set<string>(), redirects: [] }

test('an apex and its www name are twins of each other', () => {
  const apex = { hostname: 'acme.com', unicode: 'acme.com', kind: 'apex' } as const
  const www = { hostname: 'www.acme.com', unicode: 'www.acme.com', kind: 'subdomain' } as const
  assert.equal(wwwPairOf(apex, empty)?.hostname, 'www.acme.com')
  assert.equal(wwwPairOf(www, empty)?.hostname, 'acme.com')
})

test('a twin is shown in the letters that people read', () => {
  const name = { hostname: 'xn--bcher-kva.example', unicode: 'bücher.example', kind: 'apex' } as const
  assert.deepEqual(wwwPairOf(name, empty), {
    hostname: 'www.xn--bcher-kva.example',
    unicode: 'www.bücher.example',
    attached: false,
    end: 'www.xn--bcher-kva.example',
  })
})

test('a subdomain without www has no twin, nor has a registered name that is www itself', () => {
  assert.equal(
    wwwPairOf({ hostname: 'docs.acme.com', unicode: 'docs.acme.com', kind: 'subdomain' }, empty),
    null,
  )
  assert.equal(wwwPairOf({ hostname: 'www.com', unicode: 'www.com', kind: 'apex' }, empty), null)
})

test('a twin that the project has already ends where it redirects', () => {
  const twin = wwwPairOf(
    { hostname: 'www.acme.com', unicode: 'www.acme.com', kind: 'subdomain' },
    {
      attached: new Set(['acme.com', 'docs.acme.com']),
      redirects: [{ from: 'acme.com', to: 'docs.acme.com', status: 301 }],
    },
  )
  assert.equal(twin?.attached, true)
  assert.equal(twin?.end, 'docs.acme.com')
})

test('the twin leads to the name, or the other way round', () => {
  const name = { hostname: 'acme.com', unicode: 'acme.com', kind: 'apex' } as const
  const twin = wwwPairOf(name, empty)
  assert.ok(twin)
  assert.deepEqual(withWwwPair(name, twin, false), {
    twin: 'www.acme.com',
    redirect: { from: 'www.acme.com', to: 'acme.com' },
  })
  assert.deepEqual(withWwwPair(name, twin, true).redirect, { from: 'acme.com', to: 'www.acme.com' })
})

test('a twin that is there already is not added, and is led to', () => {
  const name = { hostname: 'www.acme.com', unicode: 'www.acme.com', kind: 'subdomain' } as const
  const twin = wwwPairOf(name, { attached: new Set(['acme.com']), redirects: [] })
  assert.ok(twin)
  assert.deepEqual(withWwwPair(name, twin, false), {
    twin: null,
    redirect: { from: 'www.acme.com', to: 'acme.com' },
  })
})

test('what people type and paste for a domain is asked about', () => {
  for (const typed of ['acme.com', 'https://WWW.Acme.com/path', 'bücher。example', 'acme.com.', '例え.jp']) {
    assert.equal(looksLikeHostname(typed), true, typed)
  }
})

test('the beginning of a name is not asked about yet', () => {
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
