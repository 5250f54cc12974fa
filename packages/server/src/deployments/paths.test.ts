import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import fc from 'fast-check'
import { Problem } from '../kernel/problem.ts'
import { decodeName, PathSet, publishablePath } from './paths.ts'

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

test('a name with thousands of accents is refused before they are sorted', (context) => {
  const normalize = context.mock.method(String.prototype, 'normalize')
  const name = `a${'\u0300'.repeat(20_000)}${'\u0323'.repeat(20_000)}`
  assert.throws(() => publishablePath(name), { code: 'path_invalid', message: /more accents in a row/ })
  assert.equal(normalize.mock.callCount(), 0)
})

test('a refused path is shown as it is, with invisible characters escaped', () => {
  assert.throws(() => publishablePath('back\\slash.html'), {
    message: 'The path "back\\slash.html" contains a backslash.',
  })
  assert.throws(() => publishablePath('a\nb'), {
    message: 'The path "a\\u{a}b" contains a control character.',
  })
})

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
  fc.string({ unit: anyCharacter }),
  fc
    .array(fc.constantFrom('.', '..', '', 'a', '\\', '\0', 'é', 'e\u0301', 'C:', 'ø'), { maxLength: 8 })
    .map((s) => s.join('/')),
)

test('every accepted path is normalized, stays below the root, and is accepted again unchanged', () => {
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

test('the same path twice is refused', () => {
  const paths = new PathSet()
  paths.add('/a/b')
  assert.throws(() => paths.add('/a/b'), { code: 'path_duplicate' })
})

test('two spellings of one unicode name are refused as the same', () => {
  const paths = new PathSet()
  paths.add(publishablePath('caf\u00e9'))
  assert.throws(() => paths.add(publishablePath('cafe\u0301')), { code: 'path_duplicate' })
})

test('names that differ in case are two files', () => {
  const paths = new PathSet()
  paths.add('/README')
  paths.add('/readme')
  assert.equal(paths.size, 2)
})

test('a file and a folder of one name are refused, whichever comes first', () => {
  for (const [first, second] of [
    ['/a', '/a/b'],
    ['/a', '/a/b/c'],
    ['/a/b/c', '/a'],
    ['/a/b/c', '/a/b'],
  ] as const) {
    const paths = new PathSet()
    paths.add(first)
    assert.throws(() => paths.add(second), { code: 'path_collision' }, `${first} then ${second}`)
  }
})

test('an empty folder collides with a file as well', () => {
  const paths = new PathSet()
  paths.add('/a')
  assert.throws(() => paths.addFolder('/a'), { code: 'path_collision' })
  assert.throws(() => paths.addFolder('/a/b'), { code: 'path_collision' })
  paths.addFolder('/c')
  paths.addFolder('/c')
  assert.throws(() => paths.add('/c'), { code: 'path_collision' })
})

test('folders are limited, with and without files of their own', () => {
  const paths = new PathSet(3)
  paths.add('/a/b/c/file')
  paths.add('/a/b/other')
  paths.addFolder('/a/b/c')
  const tooMany = { code: 'too_many_files', message: 'The deployment has more than 3 folders.' }
  assert.throws(() => paths.add('/d/file'), tooMany)
  assert.throws(() => new PathSet(3).addFolder('/a/b/c/d'), tooMany)
})

test('a list of files is accepted exactly if a disk could hold all of them', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
    .map((s) => `/${s.join('/')}`)
  fc.assert(
    fc.property(fc.array(path, { maxLength: 6 }), (list) => {
      const clash = list.some((one, i) => list.some((two, j) => i !== j && `${two}/`.startsWith(`${one}/`)))
      const paths = new PathSet()
      try {
        for (const each of list) paths.add(each)
        assert.equal(clash, false)
      } catch (error) {
        assert.ok(error instanceof Problem)
        assert.equal(clash, true)
      }
    }),
  )
})
