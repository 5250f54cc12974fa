import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { checkTree } from './check-tree.ts'

async function faultsOf(files: Record<string, string>): Promise<string[]> {
  await using folder = await temporaryFolder()
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder.path, path), content)
  return checkTree(folder.path).map(({ file, line, message }) => `${file}:${line} ${message}`)
}

test('a tidy tree has no faults', async () => {
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

test('a file that grew too long is told with its length', async () => {
  assert.deepEqual(await faultsOf({ 'long.ts': '//\n'.repeat(351) }), [
    'long.ts:1 has 351 lines, more than 350; which two things is it?',
  ])
})

test('tests that are left out are named', async () => {
  const source = "test.only('a', f)\ndescribe.skip('b', f)\ntest.todo('c')\nt.skip()"
  assert.deepEqual(await faultsOf({ 'a.test.ts': source }), [
    'a.test.ts:1 leaves tests out with test.only(',
    'a.test.ts:2 leaves tests out with describe.skip(',
    'a.test.ts:3 leaves tests out with test.todo(',
    'a.test.ts:4 leaves tests out with t.skip(',
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
