import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readlink, truncate, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { blobPath } from '../../blobs/blob-store.ts'
import { createFileStore } from '../../blobs/files/file-store.ts'
import { FairQueue, QueueFullError } from '../../kernel/fair-queue.ts'
import { type Body, openBody } from './body.ts'
import type { ByteRange } from './conditional-requests.ts'
import { type BlobBody, ContentCache } from './content-cache.ts'

const accountId = 'acc_a'

/** A store with one file, of which `bytesPerFile` or less is read into memory. */
async function storeWith(content: Buffer, { bytesPerFile = 10, size = 20, maxWaiting = 20 } = {}) {
  const folder = await temporaryFolder('masthead-body')
  const blobs = await createFileStore(folder.path)
  await (await blobs.stage([content], content.length)).commit({ accountId })
  const sha256 = createHash('sha256').update(content).digest('hex')
  const key = { accountId, sha256 }
  const path = join(folder.path, blobPath(key))
  const contents = new ContentCache(blobs, { totalBytes: 1000, bytesPerFile })
  const parts = { blobs, contents, openFiles: new FairQueue({ size, maxWaiting }) }
  const bodyOf = (range: ByteRange | null = null): BlobBody => ({
    kind: 'blob',
    key,
    id: `${accountId}/${sha256}/identity`,
    size: content.length,
    range,
  })
  return {
    path,
    open: (range: ByteRange | null = null, caller: string | null = '192.0.2.1') =>
      openBody(bodyOf(range), caller, parts),
    /** How many descriptors of the file this process has. */
    async descriptors(): Promise<number> {
      const links = (await readdir('/proc/self/fd')).map((fd) =>
        readlink(`/proc/self/fd/${fd}`).catch(() => ''),
      )
      return (await Promise.all(links)).filter((link) => link === path).length
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

async function readAll(body: Body, piece: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += piece) {
    pieces.push(await read(body, at, Math.min(piece, body.length - at)))
  }
  return Buffer.concat(pieces)
}

async function read(body: Body | undefined, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  await body?.read(start, bytes)
  return bytes
}

test('a small file is read into memory once, and ranges are parts of it', async () => {
  const content = randomBytes(10)
  await using store = await storeWith(content)
  const loading = store.open()
  assert.ok(loading instanceof Promise)
  assert.deepEqual((await loading).bytes, content)
  await unlink(store.path)
  const again = store.open({ start: 2, end: 4 })
  assert.ok(!(again instanceof Promise))
  assert.deepEqual([again.length, again.bytes], [3, content.subarray(2, 5)])
  assert.deepEqual(await readAll(again, 2), content.subarray(2, 5))
})

test('a large file is read in pieces, and a range of it too', async () => {
  const content = randomBytes(1000)
  await using store = await storeWith(content)
  const whole = await store.open()
  assert.equal(whole.bytes, null)
  assert.deepEqual(await readAll(whole, 300), content)
  const part = await store.open({ start: 100, end: 899 })
  assert.deepEqual(await readAll(part, 7), content.subarray(100, 900))
  for (const body of [whole, part]) body.close()
  await until(async () => (await store.descriptors()) === 0)
})

test('a file is open only while it is read', async () => {
  await using store = await storeWith(randomBytes(1000))
  const body = await store.open()
  assert.equal(await store.descriptors(), 0)
  const first = await read(body, 0, 10)
  assert.equal(await store.descriptors(), 1)
  body.rest()
  await until(async () => (await store.descriptors()) === 0)
  const reading = read(body, 0, 10)
  body.rest()
  assert.deepEqual(await reading, first)
  await until(async () => (await store.descriptors()) === 0)
  assert.deepEqual(await read(body, 0, 10), first)
  body.close()
  await until(async () => (await store.descriptors()) === 0)
})

test('a client over its share of open files waits for itself, not for others', async () => {
  await using store = await storeWith(randomBytes(1000), { size: 8 })
  const [first, second, third] = await Promise.all([store.open(), store.open(), store.open()])
  await read(first, 0, 1)
  await read(second, 0, 1)
  let isRead = false
  const waiting = read(third, 0, 1).then(() => {
    isRead = true
  })
  const other = await store.open(null, '192.0.2.2')
  await read(other, 0, 1)
  assert.equal(isRead, false)
  first?.rest()
  await waiting
  for (const body of [second, third, other]) body?.close()
  await until(async () => (await store.descriptors()) === 0)
})

test('a client that leaves while it waits for its turn opens nothing', async () => {
  await using store = await storeWith(randomBytes(1000), { size: 4 })
  const [first, second] = await Promise.all([store.open(), store.open()])
  await read(first, 0, 1)
  const waiting = assert.rejects(read(second, 0, 1))
  second?.close()
  first?.close()
  await waiting
  await until(async () => (await store.descriptors()) === 0)
})

test('past all who may wait, a read fails', async () => {
  await using store = await storeWith(randomBytes(1000), { size: 4, maxWaiting: 4 })
  const bodies = await Promise.all(Array.from({ length: 3 }, () => store.open()))
  await read(bodies[0], 0, 1)
  const second = read(bodies[1], 0, 1)
  await assert.rejects(read(bodies[2], 0, 1), QueueFullError)
  bodies[0]?.close()
  await second
  bodies[1]?.close()
})

test('a file that is missing or too short fails, in memory and on disk', async () => {
  for (const bytesPerFile of [10, 1000]) {
    await using store = await storeWith(randomBytes(1000), { bytesPerFile })
    await truncate(store.path, 999)
    const read = async () => readAll(await store.open(), 500)
    await assert.rejects(read, /ends early|999 bytes instead of 1000/)
    await unlink(store.path)
    await assert.rejects(read, { code: 'ENOENT' })
    assert.equal(await store.descriptors(), 0)
  }
})
