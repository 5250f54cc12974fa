import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ContentBatch } from '../content-batch.ts'
import { createFileStore } from './file-store.ts'

const accountId = 'acc_0001'

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'masthead-blobs-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function* chunks(...parts: (Uint8Array | string | Error)[]): AsyncGenerator<Uint8Array, void> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield typeof part === 'string' ? Buffer.from(part) : part
  }
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

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

test('content far larger than a batch is stored completely, whatever its chunks', async (t) => {
  const store = await createFileStore(await temporaryFolder(t))
  const content = randomBytes(3_000_001)
  const cuts = [0, 1, 70_000, 400_000, 400_001, 2_900_000, content.byteLength]
  const parts = cuts.slice(1).map((end, i) => content.subarray(cuts[i], end))
  const staged = await store.stage(chunks(...parts), content.byteLength)
  await staged.commit({ accountId })
  assert.equal(staged.sha256, sha256(content))
  assert.ok(content.equals(await store.read({ accountId, sha256: staged.sha256 })))
})

/** Few are written directly, many on a thread. */
const batchSizes = [0, 1, 15, 16, 100]

function batchOf(contents: readonly Buffer[]): ContentBatch {
  const batch = new ContentBatch()
  for (const content of contents) batch.add(sha256(content), content)
  return batch
}

const manyContents = (length: number) =>
  Array.from({ length }, (_, n) => Buffer.concat([Buffer.from(`${n}`), randomBytes((n % 5) * 1_000)]))

test('a batch is staged and committed completely, whatever its size, and two at once', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await createFileStore(folder)
  for (const length of batchSizes) {
    const both = [manyContents(length), manyContents(length)]
    const staged = await Promise.all(both.map((contents) => store.stageAll(batchOf(contents))))
    assert.equal((await readdir(join(folder, 'staging'))).length, 2 * length)
    await Promise.all(staged.map((some) => store.commitAll(some, accountId)))
    for (const content of both.flat()) {
      const key = { accountId, sha256: sha256(content) }
      assert.ok(content.equals(await store.read(key)))
    }
    for (const blob of staged.flat()) await blob.discard()
    assert.deepEqual(await readdir(join(folder, 'staging')), [])
    for (const content of both.flat()) assert.ok(await store.has({ accountId, sha256: sha256(content) }))
  }
})

test('without part of its contents, a batch stages only the others', async (t) => {
  const store = await createFileStore(await temporaryFolder(t))
  const contents = manyContents(40)
  const gone = new Set(contents.slice(0, 20).map(sha256))
  const staged = await store.stageAll(batchOf(contents).without(gone))
  assert.deepEqual(
    staged.map((blob) => blob.sha256),
    contents.slice(20).map(sha256),
  )
  await store.commitAll(staged, accountId)
  for (const content of contents.slice(20)) {
    assert.ok(content.equals(await store.read({ accountId, sha256: sha256(content) })))
  }
})

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

test('an empty file can be stored', async (t) => {
  const store = await createFileStore(await temporaryFolder(t))
  const staged = await store.stage(chunks(), 0)
  await staged.commit({ accountId })
  assert.equal((await store.read({ accountId, sha256: sha256('') })).byteLength, 0)
})

test('an open file is read from any position, and to its end', async (t) => {
  const store = await createFileStore(await temporaryFolder(t))
  const staged = await store.stage(chunks('0123456789'), 10)
  await staged.commit({ accountId })
  const file = await store.openFile({ accountId, sha256: staged.sha256 })
  const into = Buffer.alloc(3)
  assert.equal(await file.read(2, into), 3)
  assert.equal(into.toString(), '234')
  assert.equal(await file.read(8, into), 2)
  assert.equal(into.subarray(0, 2).toString(), '89')
  await file.close()
})

test('content beyond the limit is refused and leaves nothing behind', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await createFileStore(folder)
  await assert.rejects(store.stage(chunks('12345', '6'), 5), { code: 'file_too_large' })
  assert.deepEqual(await readdir(join(folder, 'staging')), [])
})

test('a source that fails leaves nothing behind, and its error is thrown', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await createFileStore(folder)
  const gone = new Error('the client went away')
  await assert.rejects(store.stage(chunks(randomBytes(600_000), gone), 1e6), gone)
  assert.deepEqual(await readdir(join(folder, 'staging')), [])
})

test('discard removes staged content, and does nothing when repeated or after commit', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await createFileStore(folder)
  const dropped = await store.stage(chunks('dropped'), 100)
  await dropped.discard()
  await dropped.discard()
  assert.deepEqual(await readdir(join(folder, 'staging')), [])

  const kept = await store.stage(chunks('kept'), 100)
  await kept.commit({ accountId })
  await kept.discard()
  assert.equal(await store.has({ accountId, sha256: kept.sha256 }), true)
})

test("equal files of one account are stored once, and other accounts don't have them", async (t) => {
  const store = await createFileStore(await temporaryFolder(t))
  const twins = await Promise.all([store.stage(chunks('same'), 9), store.stage(chunks('same'), 9)])
  await Promise.all(twins.map((twin) => twin.commit({ accountId })))
  assert.equal(await store.has({ accountId, sha256: sha256('same') }), true)
  assert.equal(await store.has({ accountId: 'acc_0002', sha256: sha256('same') }), false)
})

test('a compressed form is stored next to the uncompressed one, under the same digest', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await createFileStore(folder)
  const digest = sha256('plain')
  for (const [encoding, ending] of [
    ['br', '.br'],
    ['zstd', '.zst'],
    ['gzip', '.gz'],
  ] as const) {
    const staged = await store.stage(chunks(`as ${encoding}`), 100)
    const key = { accountId, sha256: digest, encoding }
    await staged.commit(key)
    const place = join(folder, accountId, digest.slice(0, 2), digest + ending)
    assert.equal(await readFile(place, 'utf8'), `as ${encoding}`)
    assert.equal((await store.read(key)).toString(), `as ${encoding}`)
  }
  assert.equal(await store.has({ accountId, sha256: digest }), false)
})

test('uncompressed content cannot be stored under another digest', async (t) => {
  const store = await createFileStore(await temporaryFolder(t))
  const staged = await store.stage(chunks('x'), 100)
  await staged.commit({ accountId, sha256: sha256('y'), encoding: undefined })
  assert.equal(await store.has({ accountId, sha256: sha256('y') }), false)
  assert.equal(await store.has({ accountId, sha256: sha256('x') }), true)
})

test('removing a blob deletes it, and removing a missing one is no error', async (t) => {
  const store = await createFileStore(await temporaryFolder(t))
  const staged = await store.stage(chunks('short-lived'), 100)
  await staged.commit({ accountId })
  const key = { accountId, sha256: staged.sha256 }
  await store.remove(key)
  await store.remove(key)
  assert.equal(await store.has(key), false)
  await assert.rejects(store.read(key), { code: 'ENOENT' })
})

test('ids and digests that could leave the folder never reach the disk', async (t) => {
  const store = await createFileStore(await temporaryFolder(t))
  const digest = sha256('x')
  for (const bad of ['..', 'acc_../../etc', 'staging', 'documents', 'acc_', 'acc_a/b', '']) {
    await assert.rejects(store.read({ accountId: bad, sha256: digest }), TypeError, bad)
  }
  for (const bad of ['', '..', digest.toUpperCase(), `${digest}0`, `../${digest}`, `${digest}\n`]) {
    await assert.rejects(store.has({ accountId, sha256: bad }), TypeError, bad)
    await assert.rejects(store.remove({ accountId, sha256: bad }), TypeError, bad)
  }
  for (const bad of ['', '..', '../x', 'a/..', 'a/../b', 'a/./b', '/a', 'a//b', 'a/', 'A', 'a/b\0']) {
    await assert.rejects(store.writeDocument(bad, Buffer.from('x')), TypeError, bad)
    await assert.rejects(store.readDocument(bad), TypeError, bad)
  }
})

test('a document can be read, replaced and removed, and is null if missing', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await createFileStore(folder)
  const name = 'manifests/dpl_0001.json'
  assert.equal(await store.readDocument(name), null)
  await store.writeDocument(name, Buffer.from('first, and longer'))
  await store.writeDocument(name, Buffer.from('second'))
  assert.equal((await store.readDocument(name))?.toString(), 'second')
  assert.deepEqual(await readdir(join(folder, 'staging')), [])
  await store.removeDocument(name)
  await store.removeDocument(name)
  assert.equal(await store.readDocument(name), null)
})

test('files that a crash left in staging are removed after a day, and not before', async (t) => {
  const folder = await temporaryFolder(t)
  await createFileStore(folder)
  const old = join(folder, 'staging', 'old')
  const recent = join(folder, 'staging', 'recent')
  for (const [path, hours] of [
    [old, 25],
    [recent, 23],
  ] as const) {
    await writeFile(path, 'left over')
    const when = Date.now() / 1000 - hours * 3600
    await utimes(path, when, when)
  }
  await createFileStore(folder)
  assert.deepEqual(await readdir(join(folder, 'staging')), ['recent'])
})
