import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { diskForTests } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { hour } from '../../kernel/clock.ts'
import { batchOf, manyContents, sha256 } from '../content-batch.test-kit.ts'
import { createFileStore } from './file-store.ts'

const accountId = 'acc_0001'

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(diskForTests, 'masthead-blobs-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function* chunks(...parts: (Uint8Array | string | Error)[]): AsyncGenerator<Uint8Array, void> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield typeof part === 'string' ? Buffer.from(part) : part
  }
}

test('staged content is hashed, readable by the server only, and at its final path after commit', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await createFileStore(folder)
  const staged = await store.stage(chunks('hel', 'lo'), 100)
  assert.equal(staged.sha256, sha256('hello'))
  assert.equal(staged.size, 5)
  assert.equal(await store.has({ accountId, sha256: staged.sha256 }), false)

  await staged.commit({ accountId })
  assert.deepEqual(await readdir(join(folder, 'staging')), [])
  const place = join(folder, accountId, staged.sha256.slice(0, 2), staged.sha256)
  assert.equal((await stat(place)).mode & 0o777, 0o600)
  assert.equal(await store.has({ accountId, sha256: staged.sha256 }), true)
  assert.equal((await store.read({ accountId, sha256: staged.sha256 })).toString(), 'hello')
})

/** Few are written directly, many on a thread. */
const batchSizes = [0, 1, 15, 16, 100]

test('a batch that cannot be written leaves nothing behind, and says why', async (t) => {
  for (const length of batchSizes.slice(1)) {
    const folder = await temporaryFolder(t)
    const store = await createFileStore(folder)
    await rm(join(folder, 'staging'), { recursive: true })
    await assert.rejects(store.stageAll(batchOf(manyContents(length))), { code: 'ENOENT' })
    assert.deepEqual(await readdir(folder), [])
  }
})

test('a batch that cannot be moved says why, and can be discarded', async (t) => {
  for (const length of batchSizes.slice(1)) {
    const folder = await temporaryFolder(t)
    const store = await createFileStore(folder)
    const staged = await store.stageAll(batchOf(manyContents(length)))
    // A file where the account's folder belongs.
    await writeFile(join(folder, accountId), '')
    await assert.rejects(store.commitAll(staged, accountId), { code: 'ENOTDIR' })
    for (const blob of staged) await blob.discard()
    assert.deepEqual(await readdir(join(folder, 'staging')), [])
  }
})

/** Two files in staging, one of which was written more than a day ago. */
async function leaveFiles(folder: string): Promise<void> {
  for (const [name, hours] of [
    ['old', 25],
    ['recent', 23],
  ] as const) {
    const path = join(folder, 'staging', name)
    await writeFile(path, 'left over')
    const when = Date.now() / 1000 - hours * 3600
    await utimes(path, when, when)
  }
}

test('files that a crash left in staging are removed after a day, and not before', async (t) => {
  const folder = await temporaryFolder(t)
  await createFileStore(folder)
  await leaveFiles(folder)
  await createFileStore(folder)
  assert.deepEqual(await readdir(join(folder, 'staging')), ['recent'])
})

test('a server that runs for long removes them too, and leaves what it is about to store', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const folder = await temporaryFolder(t)
  const store = await createFileStore(folder)
  await leaveFiles(folder)
  const staged = await store.stage(chunks('new'), 3)
  t.mock.timers.tick(hour)
  await until(async () => !(await readdir(join(folder, 'staging'))).includes('old'))
  assert.equal((await readdir(join(folder, 'staging'))).length, 2)
  await staged.commit({ accountId })
  assert.equal(String(await store.read({ accountId, sha256: staged.sha256 })), 'new')
})

test('a compressed form is next to the uncompressed one', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await createFileStore(folder)
  const digest = sha256('plain')
  for (const [encoding, ending] of [
    ['br', '.br'],
    ['zstd', '.zst'],
    ['gzip', '.gz'],
  ] as const) {
    const staged = await store.stage(chunks(`as ${encoding}`), 100)
    await staged.commit({ accountId, sha256: digest, encoding })
    const place = join(folder, accountId, digest.slice(0, 2), digest + ending)
    assert.equal(await readFile(place, 'utf8'), `as ${encoding}`)
  }
})
