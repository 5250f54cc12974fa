import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { checkTree } from './check-tree.ts'

async function faultsOf(files: Record<string, string>): Promise<string[]> {
  await using folder = await temporaryFolder()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), content)
  }
  return checkTree(folder.path).map(({ file, line, message }) => `${file}:${line} ${message}`)
}

test('a tree that keeps the rules has no faults', async () => {
  const faults = await faultsOf({
    'route.ts': `${'//\n'.repeat(350)}`,
    'route.test.ts':
      "test('a', { skip: reason }, f) // test.only(\nstream.skip(2)\nconst text = 'test.skip('",
    'package-lock.json': '{ "integrity": "sha512-…" }',
    'README.md': 'GET /home/ and https://example.com/home/guide/',
  })
  assert.deepEqual(faults, [])
})

test('a file whose name says nothing is named', async () => {
  assert.deepEqual(await faultsOf({ 'utils.ts': '' }), [
    'utils.ts:1 is called utils, which says nothing; name the one thing it is',
  ])
})

test('a file that grew too long is named with its length', async () => {
  assert.deepEqual(await faultsOf({ 'long.ts': '//\n'.repeat(351) }), [
    'long.ts:1 has 351 lines, more than 350; which two things is it?',
  ])
})

test('the marks of an unfinished merge are named', async () => {
  const merged = ['<'.repeat(7), '='.repeat(7), '>'.repeat(7)].map((mark) => `${mark} one`)
  assert.deepEqual(await faultsOf({ 'README.md': ['Title', ...merged, '=======', ''].join('\n') }), [
    'README.md:2 has the marks of a merge that was not finished',
    'README.md:4 has the marks of a merge that was not finished',
  ])
})

const emptyFiles = (folder: string, count: number, extension = '.ts') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/file-${index}${extension}`, '']))

test('a folder with more than 15 files of production code is named, not counting tests and subfolders', async () => {
  const folder = 'packages/server/src/edge'
  const allowed = {
    ...emptyFiles(folder, 15),
    ...emptyFiles(folder, 9, '.test.ts'),
    ...emptyFiles(`${folder}/tls`, 15),
  }
  assert.deepEqual(await faultsOf(allowed), [])
  assert.deepEqual(await faultsOf({ ...allowed, [`${folder}/one-more.css`]: '' }), [
    `${folder}:1 has 16 files, more than 15; which two folders is it?`,
  ])
})

test('a folder with a named reason may have more files', async () => {
  assert.deepEqual(await faultsOf(emptyFiles('packages/server/src/database/migrations', 30)), [])
})

test('a type name that two files of the product export is named', async () => {
  const faults = await faultsOf({
    'packages/cli/src/a.ts':
      'export interface Outcome {}\ninterface Context {}\nexport abstract class Store {}',
    'packages/dashboard/src/data/b.ts': "export type { Outcome } from './c.ts'\nexport type Context = 1",
    'packages/server/src/c.ts': '\nexport type Outcome = 1\nexport const Context = 1\nexport enum Store {}',
    'packages/server/src/c.test.ts': 'export type Outcome = 1',
    'testing/d.ts': 'export class Outcome {}',
  })
  assert.deepEqual(faults, [
    'packages/server/src/c.ts:2 exports a type called Outcome, as packages/cli/src/a.ts does',
    'packages/server/src/c.ts:4 exports a type called Store, as packages/cli/src/a.ts does',
  ])
})

test('a folder called data is skipped only at the root, where the server keeps its files', async () => {
  const faults = await faultsOf({ 'data/utils.json': '', 'packages/dashboard/src/data/utils.ts': '' })
  assert.deepEqual(faults, [
    'packages/dashboard/src/data/utils.ts:1 is called utils, which says nothing; name the one thing it is',
  ])
})

test('skipped tests are named', async () => {
  const source = "test.only('a', f)\ndescribe.skip('b', f)\ntest.todo('c')\nt.skip()"
  assert.deepEqual(await faultsOf({ 'a.test.ts': source }), [
    'a.test.ts:1 skips tests with test.only(',
    'a.test.ts:2 skips tests with describe.skip(',
    'a.test.ts:3 skips tests with test.todo(',
    'a.test.ts:4 skips tests with t.skip(',
  ])
})

test('traces of one machine are named', async () => {
  const home = ['', 'home', 'ada', 'masthead'].join('/')
  const faults = await faultsOf({
    'notes.md': `cd ${home}`,
    'package-lock.json': '{\n  "resolved": "https://registry.example/zod.tgz"\n}',
  })
  assert.deepEqual(faults, [
    `notes.md:1 names a folder of one machine: ${home.replace('masthead', '')}`,
    'package-lock.json:2 pins the address of a registry; npm ci should use its own',
  ])
})
