import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterFiles } from './filter-files.ts'

const files = ['/index.html', '/docs/Guide.html', '/docs/logo.svg'].map((path) => ({ path }))
const found = (wish: string) => filterFiles(files, wish).map(({ path }) => path)

test('a part of the path finds a file, in any case', () => {
  assert.deepEqual(found('GUIDE'), ['/docs/Guide.html'])
})

test('of several words each has to be in the path', () => {
  assert.deepEqual(found('docs html'), ['/docs/Guide.html'])
})

test('no wish shows every file, and one that nothing fulfils shows none', () => {
  assert.equal(found('  ').length, 3)
  assert.deepEqual(found('elsewhere'), [])
})
