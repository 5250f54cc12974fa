import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activationOf, filesWords, filterFiles } from './deployment-words.ts'

const ready = (id: `dpl_${string}`, active = false) => ({ id, state: 'ready' as const, active })

test('an older one than what is served is rolled back to, a newer one is activated', () => {
  assert.equal(activationOf(ready('dpl_1'), { id: 'dpl_2' })?.words, 'Roll back to this')
  assert.equal(activationOf(ready('dpl_3'), { id: 'dpl_2' })?.words, 'Activate')
})

test('where nothing is served yet, everything that is ready can be activated', () => {
  assert.equal(activationOf(ready('dpl_1'), null)?.words, 'Activate')
})

test('what is served already, or not complete yet, offers nothing', () => {
  assert.equal(activationOf(ready('dpl_2', true), { id: 'dpl_2' }), null)
  assert.equal(activationOf({ ...ready('dpl_3'), state: 'uploading' }, { id: 'dpl_2' }), null)
})

const words = (shown: number, loaded: number, all: number) => filesWords({ shown, loaded, all, bytes: 2500 })

test('where all files are in sight, their number and size are told', () => {
  assert.equal(words(1200, 1200, 1200), '1,200 files, 2.5 kB in all')
  assert.equal(words(1, 1, 1), '1 file, 2.5 kB in all')
})

test('a list that goes on tells how far it is loaded', () => {
  assert.equal(words(100, 100, 1200), 'The first 100 of 1,200 files')
})

test('a filter tells what it looked at', () => {
  assert.equal(words(3, 20, 20), '3 of 20 files')
  assert.equal(words(0, 20, 20), 'None of 20 files')
  assert.equal(words(3, 100, 1200), '3 of the first 100 of 1,200 files')
})

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
