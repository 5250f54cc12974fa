import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importsOf } from './source.ts'

const named = (source: string) => importsOf(source).map(({ specifier }) => specifier)
const typeOnly = (source: string) => importsOf(source).map((found) => found.typeOnly)

test('every way to name a module is found, with its line', () => {
  const source = `import 'a'
import b from 'b'
import { c, type C } from "c"
import * as d from 'd'
import e, { f } from 'e'
export * from 'f'
export * as g from 'g'
export {
  h,
} from 'h'
const i = await import('i')
type J = import('j').J`
  assert.deepEqual(named(source), ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'])
  assert.deepEqual(
    importsOf(source).map(({ line }) => line),
    [1, 2, 3, 4, 5, 6, 7, 10, 11, 12],
  )
})

test('type imports are distinguished from imports that exist at run time', () => {
  assert.deepEqual(typeOnly("import type { A } from 'a'"), [true])
  assert.deepEqual(typeOnly("import type A from 'a'"), [true])
  assert.deepEqual(typeOnly("export type { A } from 'a'"), [true])
  assert.deepEqual(typeOnly("export type * from 'a'"), [true])
  assert.deepEqual(typeOnly("import { type A, type B as C } from 'a'"), [true])
  assert.deepEqual(typeOnly("type A = typeof import('a')"), [true])
  assert.deepEqual(typeOnly("import { type A, b } from 'a'"), [false])
  assert.deepEqual(typeOnly("import type from 'a'"), [false])
  assert.deepEqual(typeOnly("import type, { a } from 'a'"), [false])
  assert.deepEqual(typeOnly("import { type } from 'a'"), [false])
})

test('code that only looks like an import is ignored', () => {
  const lookalikes = [
    "// import 'a'",
    "/* import 'a' */",
    'const text = "import \'a\'"',
    "const text = `import 'a'`",
    "const pattern = /import 'a'/",
    'const url = import.meta.url',
    "export const from = 'a'",
    "export default 'a'",
    "export { a }\nconst b = { from: 'a' }",
    "loader.import('a')",
    'import(name)',
  ]
  for (const source of lookalikes) assert.deepEqual(named(source), [], source)
})

test('an import after difficult syntax is still found', () => {
  const before = [
    'const quote = /[\'"`/]/g',
    'const half = total / 2 / parts',
    'const text = `a §{b ? `{§{c}}` : "}"} d`',
    "const escaped = 'it\\'s'",
    'const escaped = `\\`§{1}\\§{`',
    'const element = <p className="x">Don\'t stop</p>',
    'const element = <br />',
    'function f() { return /`/ }',
    'const mask = `§{{ a: { b: 1 } }.a}` // `',
    'const price = `$5`',
  ]
  // § is replaced by $, because the linter rejects template syntax in a plain string.
  for (const source of before.map((line) => line.replaceAll('§', '$')))
    assert.deepEqual(named(`${source}\nimport 'found'`), ['found'], source)
})
