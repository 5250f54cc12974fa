import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeSitePath, encodeSitePath, readRequestTarget } from './request-path.ts'

const targets: [target: string, authority: string | null, path: string, query: string][] = [
  ['/', null, '/', ''],
  ['/a?b=c?d', null, '/a', '?b=c?d'],
  ['//evil.example/x', null, '//evil.example/x', ''],
  ['/?', null, '/', '?'],
  ['http://hello.masthead.localhost:8080/a?b', 'hello.masthead.localhost:8080', '/a', '?b'],
  ['HTTP://example.com', 'example.com', '/', ''],
  ['http://example.com?q', 'example.com', '/', '?q'],
  ['http:///a', '', '/a', ''],
  ['*', null, '*', ''],
  ['', null, '', ''],
]

for (const [target, authority, path, query] of targets) {
  test(`the target ${JSON.stringify(target)} is split`, () => {
    assert.deepEqual(readRequestTarget(target), { authority, path, query, isChallenge: false })
  })
}

test('a target in the folder of ACME challenges is recognized in either form', () => {
  const path = '/.well-known/acme-challenge/token'
  for (const target of [path, `${path}?query`, `http://example.com${path}`]) {
    assert.equal(readRequestTarget(target).isChallenge, true, target)
  }
  for (const target of [
    '/.well-known/acme-challenge',
    `/x${path}`,
    `/?${path}`,
    '/%2ewell-known/acme-challenge/a',
  ]) {
    assert.equal(readRequestTarget(target).isChallenge, false, target)
  }
})

/** A path as node passes it on: one character per byte. */
const overTheWire = (path: string) => Buffer.from(path).toString('latin1')

const valid: [raw: string, path: string][] = [
  ['/', '/'],
  ['/docs/index.html', '/docs/index.html'],
  ['/%64ocs', '/docs'],
  ['/a%20b', '/a b'],
  ['/a+b', '/a+b'],
  ['/%25', '/%'],
  ['/%2561', '/%61'],
  ['/caf%C3%A9', '/café'],
  ['/cafe%CC%81', '/café'],
  [overTheWire('/café'), '/café'],
  [overTheWire('/cafe\u0301'), '/café'],
  ['/.well-known/x', '/.well-known/x'],
  ['/...', '/...'],
  ['//a///b//', '/a/b/'],
  ['//', '/'],
]

for (const [raw, path] of valid) {
  test(`${JSON.stringify(raw)} names ${path}`, () => assert.equal(decodeSitePath(raw), path))
}

const invalid = [
  '',
  '*',
  'a/b',
  '/.',
  '/..',
  '/a/../b',
  '/%2e%2e/etc/passwd',
  '/.%2E/x',
  '/%2e',
  '/a%2fb',
  '/..%2fetc',
  '/a%5cb',
  '/..\\x',
  '/%00',
  '/a%00.html',
  '/%',
  '/%zz',
  '/%c3',
  '/%c0%ae%c0%ae/',
  '/\xff',
  '/%ed%a0%80',
]

for (const raw of invalid) {
  test(`${JSON.stringify(raw)} names no file`, () => assert.equal(decodeSitePath(raw), null))
}

test('encoding and decoding a path are inverse', () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((text) => text.normalize('NFC'))
    .filter((text) => !/[/\\\0]/.test(text) && text !== '.' && text !== '..')
  fc.assert(
    fc.property(fc.array(segment), (segments) => {
      const path = `/${segments.join('/')}`
      assert.equal(decodeSitePath(encodeSitePath(path)), path)
    }),
  )
})
