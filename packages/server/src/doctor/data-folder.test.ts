import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { checkDisk, checkFileStore, checkPermissions, judgeDisk, judgePermissions } from './data-folder.ts'

async function dataFolder() {
  const folder = await temporaryFolder()
  await mkdir(join(folder.path, 'blobs'), { mode: 0o700 })
  for (const name of ['master.key', 'operator.key'])
    await writeFile(join(folder.path, name), 'x', { mode: 0o600 })
  return folder
}

test('a folder that only its owner can read is fine', async () => {
  await using folder = await dataFolder()
  assert.deepEqual(
    (await checkPermissions(folder.path, [])).map(({ status }) => status),
    ['ok'],
  )
})

test('a folder with mode 755, a key with mode 644 and a group that can read are problems, with the command that fixes them', async () => {
  await using folder = await dataFolder()
  await chmod(folder.path, 0o755)
  await chmod(join(folder.path, 'master.key'), 0o644)
  await chmod(join(folder.path, 'operator.key'), 0o640)
  const [finding] = await checkPermissions(folder.path, [])
  assert.equal(finding?.status, 'problem')
  const { path } = folder
  assert.equal(finding?.fix, `Run: chmod go= ${path} ${path}/master.key ${path}/operator.key`)
})

test('the key of a platform certificate counts too', async () => {
  await using folder = await dataFolder()
  const key = join(folder.path, 'wildcard.pem')
  await writeFile(key, 'x', { mode: 0o644 })
  assert.match((await checkPermissions(folder.path, [key]))[0]?.message ?? '', /wildcard\.pem/)
})

test('files of another user are a problem, except for root, who can read them anyway', () => {
  const files = [{ path: '/data', mode: 0o40700, uid: 7 }]
  assert.equal(judgePermissions(files, 7)[0]?.status, 'ok')
  assert.equal(judgePermissions(files, 8)[0]?.status, 'problem')
  assert.equal(judgePermissions(files, 0)[0]?.status, 'ok')
})

test('before the first start there is nothing to check', async () => {
  await using folder = await temporaryFolder()
  const missing = join(folder.path, 'data')
  assert.equal((await checkPermissions(missing, []))[0]?.status, 'skipped')
  assert.equal((await checkFileStore(missing)).status, 'skipped')
  assert.equal((await checkDisk(join(missing, 'deeper'), 1))[0]?.status, 'ok')
  assert.deepEqual(await readdir(folder.path), [])
})

test('files can be written and nothing is left, or the reason is told', async () => {
  await using folder = await dataFolder()
  assert.equal((await checkFileStore(folder.path)).status, 'ok')
  assert.deepEqual(await readdir(join(folder.path, 'blobs')), [])
  await rm(join(folder.path, 'blobs'), { recursive: true })
  await writeFile(join(folder.path, 'blobs'), 'a file where the folder should be')
  assert.match((await checkFileStore(folder.path)).message, /^Files cannot be written: ENOTDIR/)
})

test('too little space for a deployment is a problem, little space or few inodes a warning', () => {
  const GB = 1000 ** 3
  const statuses = (freeBytes: number, freeFiles: number | null) =>
    judgeDisk({ freeBytes, freeFiles }, GB).map(({ status }) => status)
  assert.deepEqual(statuses(100 * GB, 1e9), ['ok'])
  assert.deepEqual(statuses(100 * GB, null), ['ok'])
  assert.deepEqual(statuses(2 * GB, 1e9), ['warning'])
  assert.deepEqual(statuses(GB - 1, 10), ['problem', 'warning'])
})
