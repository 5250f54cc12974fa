import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import {
  createMasterKeyFile,
  MasterKeyError,
  masterKeyPath,
  readKeyRing,
  readMasterKeyFile,
  replaceMasterKeyFile,
} from './master-key.ts'

const [key, other] = [randomBytes(32), randomBytes(32)]

test('a key is taken in hex, in base64 and in base64url', () => {
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    assert.deepEqual(readKeyRing(key.toString(encoding)), [key])
  }
  assert.deepEqual(readKeyRing(`${key.toString('hex')}, ${other.toString('base64')}\n`), [key, other])
})

test('anything else is no key', () => {
  const short = randomBytes(31).toString('base64')
  const many = Array.from({ length: 6 }, () => key.toString('hex')).join(',')
  for (const text of ['', 'secret', short, `${key.toString('hex')}0`, `${key.toString('hex')},`, many]) {
    assert.equal(readKeyRing(text), null, text)
  }
})

test('the file is made once, for its owner alone, and nothing else is left', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  assert.equal(readMasterKeyFile(path), null)
  const made = await Promise.all(Array.from({ length: 8 }, () => createMasterKeyFile(path)))
  for (const keys of made) assert.deepEqual(keys, made[0])
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(folder.path), ['master.key'])
})

test('a file that was replaced holds the new keys, for its owner alone', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  await createMasterKeyFile(path)
  await replaceMasterKeyFile(path, [key, other])
  assert.deepEqual(readMasterKeyFile(path), [key, other])
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(folder.path), ['master.key'])
})

test('a file that every user can read stops the start, and the message says what to run', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  await createMasterKeyFile(path)
  await chmod(path, 0o644)
  assert.throws(() => readMasterKeyFile(path), { name: 'MasterKeyError', message: /chmod 600/ })
})

test('a file with something else in it stops the start, and the message does not show it', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  for (const text of ['', 'half a key']) {
    await writeFile(path, text, { mode: 0o600 })
    assert.throws(
      () => readMasterKeyFile(path),
      (error) => error instanceof MasterKeyError && !error.message.includes('half a key'),
    )
  }
})

test('a file that cannot be read stops the start, and the message says why', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  // Root may read every file, but no folder as one.
  await mkdir(path, { mode: 0o700 })
  assert.throws(() => readMasterKeyFile(path), {
    name: 'MasterKeyError',
    message: /master\.key is there but could not be read \(EISDIR\)/,
  })
})

test('the file is never given more keys than can be read from it', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  await createMasterKeyFile(path)
  const before = readMasterKeyFile(path)
  const six = [key, ...Array.from({ length: 5 }, () => randomBytes(32))] as const
  await assert.rejects(replaceMasterKeyFile(path, six), { name: 'MasterKeyError' })
  assert.deepEqual(readMasterKeyFile(path), before)
})
