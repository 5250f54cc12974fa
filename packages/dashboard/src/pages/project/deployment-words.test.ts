import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatLocation } from '@masthead/contract/site-rules/findings.ts'
import { activationOf, deploymentName, filesWords, filterFiles, ruleConditions } from './deployment-words.ts'

const ready = (id: `dpl_${string}`, active = false) => ({ id, state: 'ready' as const, active })

test('a deployment is called by what changed, or else by its time', () => {
  const createdAt = new Date(2020, 0, 2, 3, 4).toISOString()
  assert.equal(deploymentName({ meta: { message: 'Fix <b>\nmore' }, createdAt }), 'Fix <b>')
  assert.equal(deploymentName({ meta: {}, createdAt }), 'Deployment at 03:04 on 2 January')
})

test('an older deployment is rolled back to, a newer one is made live', () => {
  assert.equal(activationOf(ready('dpl_1'), { id: 'dpl_2' })?.words, 'Roll back to this')
  assert.equal(activationOf(ready('dpl_3'), { id: 'dpl_2' })?.words, 'Make live')
})

test('while nothing is live, any ready deployment can go live', () => {
  assert.equal(activationOf(ready('dpl_1'), null)?.words, 'Make live')
})

test('a deployment that is live or incomplete offers nothing', () => {
  assert.equal(activationOf(ready('dpl_2', true), { id: 'dpl_2' }), null)
  assert.equal(activationOf({ ...ready('dpl_3'), state: 'uploading' }, { id: 'dpl_2' }), null)
})

const words = (shown: number, loaded: number, all: number) => filesWords({ shown, loaded, all, bytes: 2500 })

test('a full list shows the number of files and their size', () => {
  assert.equal(words(1200, 1200, 1200), '1,200 files, 2.5 kB in total')
  assert.equal(words(1, 1, 1), '1 file, 2.5 kB in total')
})

test('a partial list shows how much is loaded', () => {
  assert.equal(words(100, 100, 1200), 'The first 100 of 1,200 files')
})

test('a filter shows how many files it searched', () => {
  assert.equal(words(3, 20, 20), '3 of 20 files')
  assert.equal(words(0, 20, 20), 'None of 20 files')
  assert.equal(words(3, 100, 1200), '3 of the first 100 of 1,200 files')
})

const files = ['/index.html', '/docs/Guide.html', '/docs/logo.svg'].map((path) => ({ path }))
const found = (filter: string) => filterFiles(files, filter).map(({ path }) => path)

test('part of a path matches, ignoring case', () => {
  assert.deepEqual(found('GUIDE'), ['/docs/Guide.html'])
})

test('every word has to be in the path', () => {
  assert.deepEqual(found('docs html'), ['/docs/Guide.html'])
})

test('an empty filter shows every file, one without matches shows none', () => {
  assert.equal(found('  ').length, 3)
  assert.deepEqual(found('elsewhere'), [])
})

test('a rule says where it is and when it applies', () => {
  assert.equal(formatLocation({ file: '/_redirects', line: 4 }), '_redirects line 4')
  assert.equal(formatLocation({ file: '/netlify.toml', line: null }), 'netlify.toml')
  const query = [
    { name: 'id', value: ':id' },
    { name: 'x', value: '1' },
  ]
  const words = [
    'with ?id=…',
    'with ?x=1',
    'for visitors who read de or fr',
    'for visitors in AT or CH',
    'also if there is a file',
  ]
  assert.deepEqual(
    ruleConditions({ force: true, query, languages: ['de', 'fr'], countries: ['at', 'ch'] }),
    words,
  )
  assert.deepEqual(ruleConditions({ force: false, query: [], languages: [], countries: [] }), [])
})
