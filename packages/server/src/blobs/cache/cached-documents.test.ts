import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCache } from './cache.test-kit.ts'

const name = 'manifests/dpl_1.json'
const limits = { documentMs: 100 }

for (const fault of ['is away', 'hangs'] as const) {
  test(`while the store ${fault}, its last answer is used, also by a process that just started`, async () => {
    await using cache = await openCache({ limits })
    await cache.origin.writeDocument(name, Buffer.from('first'))
    assert.equal(String(await cache.store.readDocument(name)), 'first')
    await cache.store.writeDocument(name, Buffer.from('second'))
    assert.equal(String(await cache.store.readDocument(name)), 'second')

    cache.origin.documentFault = fault
    const restarted = await cache.open()
    for (const store of [cache.store, restarted, restarted]) {
      assert.equal(String(await store.readDocument(name)), 'second')
    }
    await assert.rejects(restarted.readDocument('manifests/dpl_2.json'), { name: 'BlobsUnavailableError' })
  })
}

test('a document that was replaced or removed elsewhere is noticed', async () => {
  await using cache = await openCache({ limits })
  await cache.origin.writeDocument(name, Buffer.from('first'))
  await cache.store.readDocument(name)
  await cache.origin.writeDocument(name, Buffer.from('second'))
  assert.equal(String(await cache.store.readDocument(name)), 'second')
  await cache.origin.removeDocument(name)
  assert.equal(await cache.store.readDocument(name), null)
  cache.origin.documentFault = 'is away'
  await assert.rejects(cache.store.readDocument(name), { name: 'BlobsUnavailableError' })
})

test('a document that is removed here is not served from its copy', async () => {
  await using cache = await openCache({ limits })
  await cache.origin.writeDocument(name, Buffer.from('first'))
  await cache.store.readDocument(name)
  await cache.store.removeDocument(name)
  cache.origin.documentFault = 'is away'
  await assert.rejects(cache.store.readDocument(name), { name: 'BlobsUnavailableError' })
})
