import assert from 'node:assert/strict'
import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createSecretFile, replaceSecretFile } from './key-files.ts'

const [user, group] = [65_533, 65_532]

test('a file that is replaced keeps its owner, its group and who may read it', {
  skip: process.getuid?.() === 0 ? false : 'needs root',
}, async () => {
  await using folder = await temporaryFolder('masthead-keys')
  const path = join(folder.path, 'master.key')
  await createSecretFile(path, 'old')
  await chown(path, user, group)
  await chmod(path, 0o640)
  await replaceSecretFile(path, 'new')
  const { uid, gid, mode } = await stat(path)
  assert.deepEqual({ uid, gid, mode: mode & 0o777 }, { uid: user, gid: group, mode: 0o640 })
  assert.equal(await readFile(path, 'utf8'), 'new')
})

test('a file that others can read is not replaced with one that they can', async () => {
  await using folder = await temporaryFolder('masthead-keys')
  const path = join(folder.path, 'operator.key')
  await writeFile(path, 'old', { mode: 0o644 })
  await replaceSecretFile(path, 'new')
  assert.equal((await stat(path)).mode & 0o007, 0)
  assert.deepEqual(await readdir(folder.path), ['operator.key'])
})
