import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { openOperatorKey } from './key-files.ts'

test('the key is created on first start, readable only by its owner, and stays the same', async () => {
  await using folder = await temporaryFolder()
  const key = await openOperatorKey(folder.path)
  assert.match(key, /^[\w-]{43}$/)
  const path = join(folder.path, 'operator.key')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal(await readFile(path, 'utf8'), `${key}\n`)
  assert.equal(await openOperatorKey(folder.path), key)
})

test('a key the operator put there is used', async () => {
  await using folder = await temporaryFolder()
  const chosen = 'chosen by the operator, with spaces'
  await writeFile(join(folder.path, 'operator.key'), `${chosen}\n`)
  assert.equal(await openOperatorKey(folder.path), chosen)
})

test('a short or empty key stops the server, and the message does not reveal it', async () => {
  await using folder = await temporaryFolder()
  for (const short of ['', 'too short for a key\n']) {
    await writeFile(join(folder.path, 'operator.key'), short)
    await assert.rejects(openOperatorKey(folder.path), (error: Error) => {
      assert.match(error.message, /operator\.key does not contain a key of at least 32 characters/)
      assert.ok(!error.message.includes('too short'))
      return true
    })
  }
})

test('processes that start at once all get the same key and leave no drafts', async () => {
  await using folder = await temporaryFolder()
  const keys = await Promise.all(Array.from({ length: 8 }, () => openOperatorKey(folder.path)))
  assert.equal(new Set(keys).size, 1)
  assert.deepEqual(await readdir(folder.path), ['operator.key'])
})
