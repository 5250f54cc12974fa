import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { decodeSitePath, encodeSitePath } from './site-path.ts'

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
  const random = createRandom(7)
  const pieces = [
    'a',
    '%',
    '%2F',
    '?',
    '#',
    ' ',
    '+',
    'é',
    '猫',
    '😀',
    '...',
    '.a',
    '"',
    ':',
    '\t',
    '\ufeff',
    '\u2028',
  ]
  for (let times = 0; times < 2_000; times++) {
    const segment = () => Array.from({ length: 1 + random(4) }, () => pieces[random(pieces.length)]).join('')
    const path = `/${Array.from({ length: random(5) }, segment).join('/')}`
    assert.equal(decodeSitePath(encodeSitePath(path)), path)
  }
})
