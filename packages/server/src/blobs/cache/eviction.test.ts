import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { stat, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fillDisk, smallDisk } from '@masthead/testing/small-disk.ts'
import { until } from '@masthead/testing/until.ts'
import type { BlobKey } from '../blob-store.ts'
import { openCache } from './cache.test-kit.ts'
import { CacheFolder } from './cache-folder.ts'
import { AgeHistogram } from './eviction.ts'

const KiB = 1024
const minute = 60_000
const hour = 60 * minute

async function sizeOf(cache: { files(): Promise<{ size: number }[]> }): Promise<number> {
  return (await cache.files()).reduce((sum, { size }) => sum + size, 0)
}

/** Says when a file was last used. */
async function usedAgo(folder: string, key: BlobKey, ago: number): Promise<string> {
  const path = new CacheFolder(folder).contentPath(key)
  const at = (Date.now() - ago) / 1000
  await utimes(path, at, at)
  return path
}

test('the cache stays within its bound, and the least recently used files go first', async () => {
  const maxBytes = 1000 * KiB
  await using cache = await openCache({ maxBytes })
  const keys: BlobKey[] = []
  for (let n = 0; n < 9; n++) {
    const key = await cache.put(randomBytes(100 * KiB))
    await cache.store.read(key)
    await usedAgo(cache.folder, key, (10 - n) * hour)
    keys.push(key)
  }
  // The oldest is used again, by another process.
  const other = await cache.open()
  await other.read(keys[0] ?? assert.fail())
  await cache.store.read(await cache.put(randomBytes(100 * KiB)))
  await until(async () => (await sizeOf(cache)) <= maxBytes * 0.9)
  await until(async () => (await cache.work()).length === 0)
  const { fetched } = cache.origin
  const before = fetched.length
  await cache.store.read(keys[0] ?? assert.fail())
  for (const key of keys.slice(4)) await cache.store.read(key)
  assert.equal(fetched.length, before, 'a file was evicted that had been used later than others')
  await cache.store.read(keys[1] ?? assert.fail())
  assert.equal(fetched.length, before + 1)
})

test('the bound holds while several fill the cache at once, files of any size', async () => {
  const maxBytes = 2000 * KiB
  await using cache = await openCache({ maxBytes })
  const stores = [cache.store, await cache.open(), await cache.open()]
  const sizes = [1, 100, 5000, 40 * KiB, 100 * KiB, 300 * KiB]
  for (let round = 0; round < 10; round++) {
    const keys = await Promise.all(sizes.map((size) => cache.put(randomBytes(size + round))))
    await Promise.all(
      stores.flatMap((store) => keys.map(async (key) => assert.ok((await store.read(key)).length > 0))),
    )
    // Several may give a file its name at the same moment.
    await until(async () => (await sizeOf(cache)) <= maxBytes)
  }
  assert.equal(cache.origin.fetched.length, 10 * sizes.length)
})

test('the bound holds for files that are a large part of it', async () => {
  const maxBytes = 1000 * KiB
  await using cache = await openCache({ maxBytes })
  for (let round = 0; round < 10; round++) {
    for (const size of [100, 175, 250, 800]) {
      assert.equal((await cache.store.read(await cache.put(randomBytes(size * KiB)))).length, size * KiB)
      assert.ok((await sizeOf(cache)) <= maxBytes)
    }
  }
  assert.equal(cache.origin.fetched.length, 40)
})

test('a file that is evicted while it is read is read to its end', async () => {
  await using cache = await openCache({ maxBytes: 1000 * KiB })
  const content = randomBytes(200 * KiB)
  const key = await cache.put(content)
  const file = await cache.store.openFile(key)
  const path = await usedAgo(cache.folder, key, 5 * hour)
  for (let n = 0; n < 12; n++) await cache.store.read(await cache.put(randomBytes(100 * KiB)))
  await assert.rejects(stat(path), { code: 'ENOENT' })
  const into = Buffer.alloc(content.length)
  assert.equal(await file.read(0, into), content.length)
  assert.ok(into.equals(content))
  await file.close()
})

test('a file larger than the cache is served from the store, and evicts nothing', async () => {
  await using cache = await openCache({ maxBytes: 100 * KiB })
  const small = await cache.put('small')
  await cache.store.read(small)
  const content = randomBytes(300 * KiB)
  const key = await cache.put(content)
  for (const size of [content.length, undefined]) {
    assert.ok((await cache.store.read(key, size)).equals(content))
    await cache.store.prepare?.(key, size)
    const file = await cache.store.openFile(key, size)
    const into = Buffer.alloc(content.length)
    assert.equal(await file.read(0, into), content.length)
    assert.ok(into.equals(content))
    await file.close()
  }
  assert.deepEqual(
    (await cache.files()).map(({ size }) => size),
    ['small'.length],
  )
})

test('a cache that has become too large, with a smaller bound, shrinks when it is opened', async () => {
  await using cache = await openCache()
  for (let n = 0; n < 10; n++) await cache.store.read(await cache.put(randomBytes(100 * KiB)))
  await using smaller = await openCache({ folder: cache.folder, maxBytes: 500 * KiB })
  await until(async () => (await sizeOf(smaller)) <= 500 * KiB)
})

test('without its ledger the cache is counted again', async () => {
  await using cache = await openCache()
  for (let n = 0; n < 10; n++) await cache.store.read(await cache.put(randomBytes(100 * KiB)))
  await unlink(join(cache.folder, 'ledger'))
  await using smaller = await openCache({ folder: cache.folder, maxBytes: 500 * KiB })
  await until(async () => (await sizeOf(smaller)) <= 500 * KiB)
})

test('the oldest are chosen by their age, in steps that grow with it', () => {
  const ages = new AgeHistogram()
  for (let n = 1; n <= 1000; n++) ages.add(n * minute, 10)
  const oldest = ages.oldest(2000)
  const taken = Array.from({ length: 1000 }, (_, n) => n + 1).filter((n) => oldest.take(n * minute, 10))
  assert.equal(taken.length, 200)
  assert.ok(Math.min(...taken) > 750)
})

test('the oldest of files that are equally old are as many as needed', () => {
  const ages = new AgeHistogram()
  for (let n = 0; n < 100; n++) ages.add(-5, 10)
  const oldest = ages.oldest(95)
  const taken = Array.from({ length: 100 }, () => oldest.take(-5, 10)).filter(Boolean)
  assert.equal(taken.length, 10)
})

test('on a full disk everything is served, and the cache gives something back', {
  skip: process.getuid?.() !== 0 && process.env.CI !== 'true' && 'only root can mount a small disk',
}, async () => {
  await using disk = await smallDisk(4)
  await using cache = await openCache({ folder: join(disk.path, 'cache') })
  const warm: BlobKey[] = []
  for (let n = 0; n < 20; n++) {
    const key = await cache.put(randomBytes(100 * KiB))
    await cache.store.read(key)
    warm.push(key)
  }
  fillDisk(join(disk.path, 'filler'))
  const content = randomBytes(100 * KiB)
  const cold = await Promise.all([cache.put(content), cache.put(randomBytes(2000))])
  assert.ok((await cache.store.read(cold[0] ?? assert.fail())).equals(content))
  assert.equal((await cache.store.read(cold[1] ?? assert.fail())).length, 2000)
  const file = await cache.store.openFile(await cache.put(content, 'acc_0002'))
  const into = Buffer.alloc(content.length)
  assert.equal(await file.read(0, into), content.length)
  assert.ok(into.equals(content))
  await file.close()
  for (const key of warm) assert.equal((await cache.store.read(key)).length, 100 * KiB)
  await until(async () => (await sizeOf(cache)) < 1900 * KiB)
})
