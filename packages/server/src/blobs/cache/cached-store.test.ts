import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { until } from '@masthead/testing/until.ts'
import { Registry } from 'prom-client'
import type { BlobKey, BlobStore } from '../blob-store.ts'
import { type OriginFault, openCache } from './cache.test-kit.ts'

const quick = { stallMs: 1_000, minBytesPerSecond: 1 }
const unavailable = { name: 'BlobsUnavailableError' }

async function readThroughFile(store: BlobStore, key: BlobKey, size: number): Promise<Buffer> {
  await store.prepare?.(key, size)
  const file = await store.openFile(key, size)
  const into = Buffer.alloc(size)
  assert.equal(await file.read(0, into), size)
  await file.close()
  return into
}

for (const size of [0, 1, 4096, 300_000, 10 * 1024 ** 2]) {
  test(`${size} bytes are fetched once, however many ask for them and in whatever way`, async () => {
    await using cache = await openCache()
    const content = randomBytes(size)
    const key = await cache.put(content)
    const asked = Array.from({ length: 200 }, (_, n) =>
      n % 2 === 0 ? cache.store.read(key, size) : readThroughFile(cache.store, key, size),
    )
    for (const answer of await Promise.all(asked)) assert.ok(answer.equals(content))
    assert.equal(cache.origin.fetched.length, 1)
    assert.equal((await cache.files()).length, 1)
    await until(async () => (await cache.work()).length === 0)

    cache.origin.faultOf = () => 'is away'
    assert.ok((await cache.store.read(key)).equals(content))
    assert.ok((await readThroughFile(await cache.open(), key, size)).equals(content))
    assert.equal(cache.origin.fetched.length, 1)
  })
}

describe('a store that', () => {
  const faults: OriginFault[] = [
    ...(['is away', 'hangs', 'hangs in the middle', 'trickles'] as const),
    ...(['breaks off', 'ends early', 'flips a bit', 'sends too much'] as const),
  ]
  for (const fault of faults) {
    test(`${fault} leaves nothing behind, and warm files are served`, async () => {
      await using cache = await openCache({ limits: { ...quick, minBytesPerSecond: 10_000 } })
      const content = randomBytes(200_000)
      const warm = await cache.put('warm')
      const cold = await cache.put(content)
      await cache.store.read(warm)
      cache.origin.faultOf = () => fault
      const asked = [cache.store.read(cold), cache.store.openFile(cold), cache.store.prepare?.(cold)]
      for (const answer of await Promise.allSettled(asked)) assert.equal(answer.status, 'rejected')
      assert.equal((await cache.store.read(warm)).toString(), 'warm')
      await until(async () => (await cache.work()).length === 0)
      assert.equal((await cache.files()).length, 1)

      // As soon as it is back.
      cache.origin.faultOf = () => null
      assert.ok((await cache.store.read(cold)).equals(content))
    })

    test(`${fault} once may be asked again`, async () => {
      await using cache = await openCache({ limits: { ...quick, minBytesPerSecond: 10_000 } })
      const content = randomBytes(200_000)
      const key = await cache.put(content)
      cache.origin.faultOf = () => (cache.origin.fetched.length === 0 ? fault : null)
      // Damage is noticed and repaired within one request, everything else within two.
      const first = await cache.store.read(key).catch((error: Error) => error.name)
      const isDamage = ['ends early', 'flips a bit', 'sends too much'].includes(fault)
      if (isDamage) assert.ok(content.equals(first as Buffer))
      else assert.equal(first, unavailable.name)
      assert.ok((await cache.store.read(key)).equals(content))
      assert.equal(cache.origin.fetched.length, 2)
    })
  }

  test('has other content under a digest than it should is not believed', async () => {
    await using cache = await openCache()
    const key = await cache.put('right')
    const other = await cache.put('wrong')
    const { fetch } = cache.origin
    cache.origin.fetch = (_key) => fetch(other)
    await assert.rejects(cache.store.read(key), { name: 'DamagedContentError' })
    assert.deepEqual(await cache.files(), [])
  })
})

test('content that the store does not have is missing, like in every store', async () => {
  await using cache = await openCache()
  const key = await cache.put('here')
  await cache.store.remove(key)
  await assert.rejects(cache.store.read(key), { code: 'ENOENT' })
  await assert.rejects(cache.store.openFile(key), { code: 'ENOENT' })
  assert.equal(await cache.store.has(key), false)
})

test('what one account has in the cache is not given to another', async () => {
  await using cache = await openCache()
  const key = await cache.put('private')
  await cache.store.read(key)
  const theirs = { ...key, accountId: 'acc_0002' }
  await assert.rejects(cache.store.read(theirs), { code: 'ENOENT' })
  await assert.rejects(cache.store.openFile(theirs), { code: 'ENOENT' })
})

test('removed content is removed from the cache of this machine', async () => {
  await using cache = await openCache()
  const key = await cache.put('gone')
  await cache.store.read(key)
  await cache.store.remove(key)
  assert.deepEqual(await cache.files(), [])
})

test('a compressed form that was created again, with another size, is fetched again', async () => {
  await using cache = await openCache()
  const key = await cache.put('a'.repeat(10_000))
  const [first, second] = [gzipSync('a'.repeat(10_000), { level: 0 }), gzipSync('a'.repeat(10_000))]
  await cache.putForm(key, 'gzip', first)
  const form = { ...key, encoding: 'gzip' } as const
  assert.ok((await cache.store.read(form, first.length)).equals(first))
  await cache.putForm(key, 'gzip', second)
  assert.ok((await readThroughFile(cache.store, form, second.length)).equals(second))
  assert.ok((await cache.store.read(form, second.length)).equals(second))
  assert.equal(cache.origin.fetched.length, 2)
})

test('one account with many cold files does not hold up another, and fetches are few at once', async () => {
  await using cache = await openCache({ limits: { atOnce: 8, stallMs: 2_000 } })
  const greedy = await Promise.all(
    Array.from({ length: 100 }, (_, n) => cache.put(`greedy ${n}`, 'acc_greedy')),
  )
  const modest = await cache.put('modest', 'acc_modest')
  cache.origin.faultOf = ({ accountId }) => (accountId === 'acc_greedy' ? 'hangs in the middle' : null)
  const waiting = Promise.allSettled(greedy.map((key) => cache.store.read(key)))
  assert.equal((await cache.store.read(modest)).toString(), 'modest')
  assert.ok(cache.origin.mostAtOnce <= 4, `${cache.origin.mostAtOnce} at once`)
  for (const { status } of await waiting) assert.equal(status, 'rejected')
  assert.ok(cache.origin.fetched.length < greedy.length, 'files that nobody waits for any more were fetched')
})

test('hits, misses, fetches and their failures are counted', async () => {
  const metrics = new Registry()
  await using cache = await openCache({ metrics, maxBytes: 1_000_000 })
  const [key, other] = [await cache.put('x'.repeat(5000)), await cache.put('other')]
  for (let n = 0; n < 3; n++) await cache.store.read(key)
  cache.origin.faultOf = () => 'is away'
  await assert.rejects(cache.store.read(other), unavailable)
  const text = await metrics.metrics()
  const expected = {
    ...{ hits_total: 2, misses_total: 2, fetches_total: 2, failed_fetches_total: 1 },
    ...{ fetched_bytes_total: 5000, evicted_files_total: 0, max_bytes: 1_000_000 },
  }
  for (const [name, value] of Object.entries(expected)) {
    assert.match(text, new RegExp(`^masthead_cache_${name} ${value}$`, 'm'))
  }
})

test('a folder that somebody emptied is filled again', async () => {
  await using cache = await openCache()
  const key = await cache.put('again')
  await cache.store.read(key)
  await rm(cache.folder, { recursive: true })
  assert.equal((await cache.store.read(key)).toString(), 'again')
  assert.equal((await cache.store.read(key)).toString(), 'again')
  assert.equal((await cache.files()).length, 1)
})
