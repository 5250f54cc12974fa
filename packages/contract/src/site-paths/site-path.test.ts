import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { decodeRoutePath, decodeSitePath, encodeSitePath, encodeText, readingsOf } from './site-path.ts'

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

const routes: [raw: string, path: string, encoded: string, alsoRead?: string][] = [
  ['/a%2fb', '/a\udc2fb', '/a%2Fb', '/a/b'],
  ['/a%5Cb', '/a\udc5cb', '/a%5Cb', '/a/b'],
  ['/a\\b/%2F%2f/', '/a\udc5cb/\udc2f\udc2f/', '/a%5Cb/%2F%2F/', '/a/b/'],
  ['/a%252Fb%2F', '/a%2Fb\udc2f', '/a%252Fb%2F', '/a%2Fb/'],
  ['/caf%e9', '/caf\udce9', '/caf%E9', '/caf\udce9'],
  ['/\xff/%c3%a9', '/\udcff/é', '/%FF/%C3%A9', '/\udcff/é'],
  ['/%c0%ae%c0%ae/', '/\udcc0\udcae\udcc0\udcae/', '/%C0%AE%C0%AE/', '/\udcc0\udcae\udcc0\udcae/'],
  ['/%ed%a0%80', '/\udced\udca0\udc80', '/%ED%A0%80', '/\udced\udca0\udc80'],
  ['/%f0%9f%98%80%2f', '/😀\udc2f', '/%F0%9F%98%80%2F', '/😀/'],
  ['/%f0%90%80%af', '/\u{1002f}', '/%F0%90%80%AF'],
  ['/100%', '/100\udc25', '/100%25', '/100\udc25'],
  ['/a%00', '/a\udc00', '/a%00', '/a\udc00'],
  ['/a%20b', '/a b', '/a%20b'],
]

for (const [raw, path, encoded, alsoRead] of routes) {
  test(`${JSON.stringify(raw)} keeps the bytes that no file name has`, () => {
    assert.equal(decodeRoutePath(raw), path)
    assert.equal(decodeSitePath(raw), alsoRead === undefined ? path : null)
    assert.equal(encodeText(path, encodeSitePath), encoded)
    assert.equal(decodeRoutePath(encoded.replace('100%25', '100%')), path)
    assert.deepEqual(readingsOf(path), alsoRead === undefined ? [path] : [path, alsoRead])
  })
}

for (const raw of ['', '*', '/..', '/a/%2e%2e/b', '/..%2fetc', '/a%2F..%5cb', '/a%2f.', '/./%2F']) {
  test(`${JSON.stringify(raw)} is no path for rules either`, () => assert.equal(decodeRoutePath(raw), null))
}

test('whatever the bytes of a path are, it is encoded as printable ASCII that names the same path', () => {
  const random = createRandom(11)
  for (let times = 0; times < 5_000; times++) {
    const bytes = Array.from({ length: random(12) }, () => random(256))
    const raw = `/x${bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`
    const path = decodeRoutePath(raw)
    if (path === null) continue
    const encoded = encodeText(path, encodeSitePath)
    assert.match(encoded, /^[!-~]+$/)
    assert.equal(encoded.split('/').length, 2, raw)
    assert.equal(decodeRoutePath(encoded), path, raw)
  }
})
