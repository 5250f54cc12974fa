import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../problem.ts'
import { decodeName, publishablePath } from './paths.ts'

const invalid = { name: 'Problem', code: 'path_invalid' }

const accepted: [string, string][] = [
  ['index.html', '/index.html'],
  ['docs/index.html', '/docs/index.html'],
  ['./docs/index.html', '/docs/index.html'],
  ['.well-known/x', '/.well-known/x'],
  ['..well', '/..well'],
  ['a/...', '/a/...'],
  ['a b/c%20d?e#f', '/a b/c%20d?e#f'],
  ['cafe\u0301', '/caf\u00e9'],
  ['\ufeffbom', '/\ufeffbom'],
  ['😀.txt', '/😀.txt'],
  ['ab:c', '/ab:c'],
  ['é'.repeat(127), `/${'é'.repeat(127)}`],
]

for (const [raw, path] of accepted) {
  test(`${JSON.stringify(raw).slice(0, 40)} is published at ${path.slice(0, 40)}`, () => {
    assert.equal(publishablePath(raw), path)
  })
}

test('a colon is a character like others, also after one letter', () => {
  for (const name of ['a:b.txt', 'C:x', 'docs/a:b', 'a:', '10:30.html']) {
    assert.equal(publishablePath(name), `/${name}`)
  }
})

const refused: [string, string][] = [
  ['nothing', ''],
  ['the folder itself', '.'],
  ['only ./', './'],
  ['a parent', '../x'],
  ['a parent after ./', './../x'],
  ['a parent in the middle', 'a/../b'],
  ['a parent at the end', 'a/..'],
  ['a dot in the middle', 'a/./b'],
  ['a second ./', '././a'],
  ['an absolute path', '/etc/passwd'],
  ['an absolute path after ./', './/etc/passwd'],
  ['a double slash', 'a//b'],
  ['a slash at the end', 'a/'],
  ['a backslash', 'a\\b'],
  ['a drive', 'C:/x'],
  ['a drive of a Kelvin sign', '\u212a:/x'],
  ['a NUL', 'a\0b'],
  ['a line feed', 'a\nb'],
  ['a delete character', 'a\x7fb'],
  ['a C1 control', 'a\x85b'],
  ['a lone surrogate', 'a\ud800b'],
  ['a segment of 256 bytes', 'é'.repeat(128)],
  ['a path of 1025 bytes', `${'a'.repeat(128)}/`.repeat(7) + 'a'.repeat(121)],
]

for (const [what, raw] of refused) {
  test(`${what} is refused`, () => {
    assert.throws(() => publishablePath(raw), invalid)
  })
}

test('a path of 1024 bytes is the longest', () => {
  const longest = `${'a'.repeat(128)}/`.repeat(7) + 'a'.repeat(120)
  assert.equal(Buffer.byteLength(publishablePath(longest)), 1024)
})

test('a leading slash is the root in a manifest, but only one', () => {
  assert.equal(publishablePath('/a/b', { rooted: true }), '/a/b')
  assert.equal(publishablePath('a/b', { rooted: true }), '/a/b')
  assert.equal(publishablePath('./a/b', { rooted: true }), '/a/b')
  for (const raw of ['/', '//a', '/./a', '/../a', '/C:/a']) {
    assert.throws(() => publishablePath(raw, { rooted: true }), invalid, raw)
  }
})

test('names that are not UTF-8 are refused', () => {
  assert.equal(decodeName(Buffer.from('\ufeffcafé')), '\ufeffcafé')
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0x61, 0xe9]]) {
    assert.throws(() => decodeName(Uint8Array.from(bytes)), invalid)
  }
})

const anyName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('.', '..', '', 'a', '\\', '\0', 'é', 'e\u0301', 'C:', 'ø'), { maxLength: 8 })
    .map((s) => s.join('/')),
)

test('whatever is accepted is normal, stays where it is, and is accepted again unchanged', () => {
  fc.assert(
    fc.property(anyName, (raw) => {
      let path: string
      try {
        path = publishablePath(raw)
      } catch (error) {
        assert.ok(error instanceof Problem && error.code === 'path_invalid')
        return
      }
      assert.equal(path, path.normalize('NFC'))
      assert.equal(publishablePath(path, { rooted: true }), path)
      const url = new URL(path.split('/').map(encodeURIComponent).join('/'), 'http://site.example')
      assert.equal(decodeURIComponent(url.pathname), path)
    }),
    { numRuns: 2000 },
  )
})
