import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createFileStore } from '../../blobs/files/file-store.ts'
import { bytesPerEntry, ContentCache } from './content-cache.ts'

async function storeWith(folder: string, content: Buffer) {
  const store = await createFileStore(folder)
  const staged = await store.stage(
    (async function* () {
      yield content
    })(),
    content.length,
  )
  await staged.commit({ accountId: 'acc_1' })
  let reads = 0
  const counting = {
    read: (key: Parameters<typeof store.read>[0]) => {
      reads++
      return store.read(key)
    },
  }
  return { counting, reads: () => reads, key: { accountId: 'acc_1', sha256: staged.sha256 } }
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

for (const [size, content] of [
  ['short', everyByte],
  ['longer', Buffer.alloc(20_000, everyByte)],
] as const) {
  test(`concurrent requests for a ${size} file read it once and get every byte`, async () => {
    await using folder = await temporaryFolder()
    const { counting, reads, key } = await storeWith(folder.path, content)
    const cache = new ContentCache(counting)
    assert.equal(cache.get('id'), undefined)
    const loaded = await Promise.all([1, 2, 3].map(() => cache.load('id', key, content.length)))
    for (const one of [...loaded, cache.get('id')]) {
      assert.deepEqual(typeof one === 'string' ? Buffer.from(one, 'latin1') : one, content)
    }
    assert.equal(reads(), 1)
    assert.equal(cache.bytes, content.length + bytesPerEntry)
  })
}

test('a file of the wrong size is refused and read again', async () => {
  await using folder = await temporaryFolder()
  const { counting, reads, key } = await storeWith(folder.path, everyByte)
  const cache = new ContentCache(counting)
  await assert.rejects(cache.load('id', key, 255), /256 bytes instead of 255/)
  assert.equal(cache.get('id'), undefined)
  await cache.load('id', key, 256)
  assert.equal(reads(), 2)
})

test('a failed read is not cached', async () => {
  await using folder = await temporaryFolder()
  const { counting, key } = await storeWith(folder.path, everyByte)
  const cache = new ContentCache(counting)
  await assert.rejects(cache.load('id', { ...key, sha256: '0'.repeat(64) }, 256), { code: 'ENOENT' })
  assert.equal((await cache.load('id', key, 256)).length, 256)
})

test('only files up to the limit are cached, and memory is bounded', async () => {
  await using folder = await temporaryFolder()
  const { counting, key } = await storeWith(folder.path, everyByte)
  const cache = new ContentCache(counting, { totalBytes: 2 * (256 + bytesPerEntry), bytesPerFile: 256 })
  assert.ok(cache.accepts(256))
  assert.ok(!cache.accepts(257))
  for (const id of ['a', 'b', 'c']) await cache.load(id, key, 256)
  assert.equal(cache.bytes, 2 * (256 + bytesPerEntry))
  assert.equal(cache.get('a'), undefined)
})

test('a small file keeps no more memory than it counts for, also if it arrived in several parts', async () => {
  const content = Buffer.concat([Buffer.from('hel'), Buffer.from('lo')])
  const cache = new ContentCache({ read: async () => content })
  const loaded = await cache.load('id', { accountId: 'acc_1', sha256: 'a' }, content.length)
  assert.equal(String(loaded), 'hello')
  for (const one of [loaded, cache.get('id')]) assert.equal(one?.buffer.byteLength, content.length)
  assert.ok(cache.bytes > content.length)
})
