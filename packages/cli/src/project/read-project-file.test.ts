import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { readProjectFile } from './read-project-file.ts'

async function folderWith(files: Record<string, string>) {
  const folder = await temporaryFolder('masthead-project-file')
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text)
  return folder
}

test('a folder without a project file has none, and each of the three names is one', async () => {
  await using empty = await folderWith({})
  assert.equal(await readProjectFile(empty.path, empty.path), null)
  assert.equal(await readProjectFile(join(empty.path, 'nowhere'), empty.path), null)
  for (const name of ['masthead.json', 'masthead.yaml', 'masthead.yml']) {
    // Some editors begin every file with a byte order mark.
    await using folder = await folderWith({ [name]: '\uFEFF{ "project": "site" }' })
    const file = await readProjectFile(folder.path, join(folder.path, '..'))
    assert.equal(file?.members.project, 'site')
    assert.match(file.name, new RegExp(`^masthead-project-file[^/]*/${name}$`))
  }
})

test('two project files in one folder are refused, and both are named', async () => {
  await using folder = await folderWith({ 'masthead.json': '{}', 'masthead.yml': 'project: site' })
  await assert.rejects(readProjectFile(folder.path, folder.path), {
    code: 'usage',
    message: 'Both masthead.json and masthead.yml exist.',
  })
})

test('a file of absurd size is not parsed', async () => {
  await using folder = await folderWith({ 'masthead.json': ' '.repeat(1_000_001) })
  await assert.rejects(readProjectFile(folder.path, folder.path), { message: /too large/ })
})
