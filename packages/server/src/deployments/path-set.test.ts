import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../problem.ts'
import { PathSet } from './path-set.ts'
import { publishablePath } from './paths.ts'

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

test('a list of files is accepted exactly where a disk could hold them all', () => {
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
