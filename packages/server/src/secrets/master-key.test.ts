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

test('a key is accepted in hex, base64 and base64url', () => {
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    assert.deepEqual(readKeyRing(key.toString(encoding)), [key])
  }
  assert.deepEqual(readKeyRing(`${key.toString('hex')}, ${other.toString('base64')}\n`), [key, other])
})

test('anything else is rejected', () => {
  const short = randomBytes(31).toString('base64')
  const many = Array.from({ length: 6 }, () => key.toString('hex')).join(',')
  for (const text of ['', 'secret', short, `${key.toString('hex')}0`, `${key.toString('hex')},`, many]) {
    assert.equal(readKeyRing(text), null, text)
  }
})

test('the file is created once, readable only by its owner, and no drafts are left', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  assert.equal(readMasterKeyFile(path), null)
  const created = await Promise.all(Array.from({ length: 8 }, () => createMasterKeyFile(path)))
  for (const keys of created) assert.deepEqual(keys, created[0])
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(folder.path), ['master.key'])
})

test('a replaced file contains the new keys, readable only by its owner', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  await createMasterKeyFile(path)
  await replaceMasterKeyFile(path, [key, other])
  assert.deepEqual(readMasterKeyFile(path), [key, other])
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(folder.path), ['master.key'])
})

test('a file that every user can read stops the server, and the message says what to run', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  await createMasterKeyFile(path)
  await chmod(path, 0o644)
  assert.throws(() => readMasterKeyFile(path), { name: 'MasterKeyError', message: /chmod 600/ })
})

test('a file with other content stops the server, and the message does not reveal it', async () => {
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

test('an unreadable file stops the server, and the message says why', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  // Root can read any file, but cannot read a folder as a file.
  await mkdir(path, { mode: 0o700 })
  assert.throws(() => readMasterKeyFile(path), {
    name: 'MasterKeyError',
    message: /master\.key exists but could not be read \(EISDIR\)/,
  })
})

test('the file never gets more keys than can be read from it', async () => {
  await using folder = await temporaryFolder()
  const path = masterKeyPath(folder.path)
  await createMasterKeyFile(path)
  const five = [key, ...Array.from({ length: 4 }, () => randomBytes(32))] as const
  await replaceMasterKeyFile(path, five)
  assert.deepEqual(readMasterKeyFile(path), five)
  await assert.rejects(replaceMasterKeyFile(path, [...five, other]), { name: 'MasterKeyError' })
  assert.deepEqual(readMasterKeyFile(path), five)
})
