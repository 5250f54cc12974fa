import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Health } from '@masthead/contract/schemas/operator.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { impatient, openTroubledS3Store } from '../blobs/each-store.test-kit.ts'
import { openDatabase } from '../database/database.ts'
import { tarGz } from '../deployments/archive/tar.test-kit.ts'
import { nobody, startApi } from './api.test-kit.ts'

const silent = { warn: () => {} }

test('while S3 is down uploads get 503 with Retry-After, and then everything works again', {
  skip: skipWithout('swift'),
}, async () => {
  await using trouble = await openTroubledS3Store(impatient)
  const { store: blobs, proxy, settings } = trouble
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  await using api = await startApi(database, { blobs })
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy'])
  assert.equal((await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })).status, 201)
  const archive = {
    headers: { 'Content-Type': 'application/gzip' },
    body: new Uint8Array(tarGz({ name: 'index.html', content: 'hello' })),
  }
  const list = { json: { files: { '/a.html': { sha256: 'a'.repeat(64), size: 1 } } } }
  const blobsCheck = async () => {
    const { body } = await api.send<Health>('GET /v1/operator/health', api.operator)
    return body.checks.find(({ name }) => name === 'blobs')?.ok
  }
  assert.equal(await blobsCheck(), true)

  for (const fault of [{ kind: 'answer', status: 503 }, { kind: 'silence' }] as const) {
    proxy.next(fault, { times: 10_000 })
    for (const sent of [archive, list]) {
      const away = await api.send('POST /v1/projects/site/deployments', caller, sent)
      assert.equal(away.status, 503, away.text)
      assert.equal(away.body.code, 'unavailable')
      assert.equal(away.headers.get('retry-after'), '5')
      assert.ok(!away.text.includes('127.0.0.1') && !away.text.includes(settings.bucket), away.text)
    }
    assert.equal(await blobsCheck(), false)
    assert.equal((await api.send('GET /readyz', nobody)).status, 200)
    const { body } = await api.send<{ items: unknown[] }>('GET /v1/projects/site/deployments', caller)
    assert.deepEqual(body.items, [])
    proxy.mend()
  }
  assert.equal(await blobsCheck(), true)
  const published = await api.send('POST /v1/projects/site/deployments', caller, archive)
  assert.equal(published.status, 201, published.text)
  assert.ok(!api.logged.join().includes(settings.secretAccessKey))
  await database.close()
})
