import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import type { FaultProxy } from '@masthead/testing/peers/fault-proxy.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startSeverableLink } from '@masthead/testing/peers/severable-link.ts'
import { startSwift } from '@masthead/testing/peers/swift.ts'
import { until } from '@masthead/testing/until.ts'
import { BlobsUnavailableError, type RemoteBlobStore } from '../blob-store.ts'
import {
  impatient,
  openS3Store,
  openTroubledS3Store,
  s3Settings,
  storedKeys,
} from '../each-store.test-kit.ts'
import { createS3Client } from './s3-client.ts'
import { defaultS3Limits } from './s3-limits.ts'
import { abortStaleUploads } from './upload-file.ts'

const accountId = 'acc_0001'
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function put(
  store: RemoteBlobStore,
  content: Uint8Array,
): Promise<{ accountId: string; sha256: string }> {
  const staged = await store.stage([content], content.byteLength)
  try {
    await staged.commit({ accountId })
  } finally {
    await staged.discard()
  }
  return { accountId, sha256: staged.sha256 }
}

async function receive(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const uploads = (method: string) => method === 'PUT' || method === 'POST'
const reads = (method: string) => method === 'GET'

describe('S3 in trouble', { skip: skipWithout('swift') }, () => {
  test('a few errors, cuts and wrong bytes are retried, and nobody notices', async () => {
    await using trouble = await openTroubledS3Store()
    const { store, proxy, inSpool } = trouble
    for (const fault of [
      { kind: 'answer', status: 503, code: 'SlowDown' },
      { kind: 'answer', status: 500, code: 'InternalError' },
      { kind: 'answer', status: 429 },
      { kind: 'cut request', after: 100_000 },
      { kind: 'corrupt request' },
      { kind: 'cut response', after: 0 },
    ] as const) {
      const content = randomBytes(1_000_000)
      proxy.next(fault, { times: 2, matches: uploads })
      const key = await put(store, content)
      for (const readFault of [
        fault,
        { kind: 'cut response', after: 70_000 },
        { kind: 'corrupt response' },
      ] as const) {
        proxy.mend()
        proxy.next(readFault, { times: 2, matches: reads })
        assert.ok(content.equals(await store.read(key)), fault.kind)
      }
      proxy.mend()
    }
    assert.deepEqual(await inSpool(), [])
  })

  test('S3 refuses a removal that arrives after its time, and a file stored again by then stays', async () => {
    await using trouble = await openTroubledS3Store()
    const { store, proxy, settings } = trouble
    const content = Buffer.from('removed and stored again')
    const key = await put(store, content)
    await store.remove(key, 2_000)
    assert.deepEqual(await storedKeys(settings), [])
    const sent = proxy.requests.find((request) => request.startsWith('DELETE')) ?? assert.fail()
    const again = () => fetch(`${proxy.url}${sent.slice('DELETE '.length)}`, { method: 'DELETE' })
    await until(async () => (await again()).status === 403, { everyMs: 500 })
    await put(store, content)
    assert.equal((await again()).status, 403)
    assert.ok(content.equals(await store.read(key)))
    await assert.rejects(store.remove(key, 500), BlobsUnavailableError)
    assert.equal(await store.has(key), true)
  })

  test('a file that stays corrupted on its way is neither stored nor read', async () => {
    await using trouble = await openTroubledS3Store(impatient)
    const { store, proxy, settings, inSpool } = trouble
    const key = await put(store, Buffer.from('right'))
    proxy.next({ kind: 'corrupt response' }, { times: 1_000, matches: reads })
    await assert.rejects(store.read(key), BlobsUnavailableError)
    proxy.mend()
    proxy.next({ kind: 'corrupt request' }, { times: 1_000, matches: uploads })
    await assert.rejects(put(store, randomBytes(500_000)), BlobsUnavailableError)
    assert.equal((await storedKeys(settings)).length, 1)
    assert.deepEqual(await inSpool(), [])
  })

  test('a fetch that is cut goes on where it was, with the same bytes', async () => {
    await using trouble = await openTroubledS3Store()
    const { store, proxy } = trouble
    const content = randomBytes(3_000_000)
    const key = await put(store, content)
    for (const after of [100_000, 1_000_000, 1_500_000])
      proxy.next({ kind: 'cut response', after }, { matches: reads })
    const fetched = await store.fetch(key)
    assert.deepEqual([fetched?.size, fetched?.sha256], [content.byteLength, key.sha256])
    assert.ok(content.equals(await receive(fetched?.content ?? ([].values() as never))))
    assert.equal(proxy.requests.filter((request) => request.startsWith('GET')).length, 4)
  })

  test('the digest of a compressed form is that of its stored bytes', async () => {
    await using opened = await openS3Store()
    const staged = await opened.store.stage([Buffer.from('compressed')], 100)
    const key = { accountId, sha256: sha256(Buffer.from('plain')), encoding: 'br' } as const
    await staged.commit(key)
    const fetched = await opened.store.fetch(key)
    assert.equal(fetched?.sha256, sha256(Buffer.from('compressed')))
    assert.equal((await receive(fetched.content)).toString(), 'compressed')
    assert.equal(await opened.store.fetch({ ...key, encoding: 'gzip' }), null)
  })

  test('a small file costs one request each way', async () => {
    await using trouble = await openTroubledS3Store()
    const { store, proxy } = trouble
    const key = await put(store, randomBytes(4_096))
    assert.equal(proxy.requests.length, 1)
    const file = await store.openFile(key)
    assert.equal(await file.read(0, Buffer.alloc(4_096)), 4_096)
    assert.equal(proxy.requests.length, 2)
    await receive((await store.fetch(key))?.content ?? ([] as never))
    assert.equal(proxy.requests.length, 3)
  })

  test('a silent, cut or refusing S3 is unavailable, never missing', async () => {
    await using trouble = await openTroubledS3Store(impatient)
    const { store, proxy } = trouble
    const key = await put(store, Buffer.from('there'))
    const missing = { accountId, sha256: sha256(Buffer.from('not there')) }
    for (const fault of [
      { kind: 'silence' },
      { kind: 'cut response', after: 0 },
      { kind: 'answer', status: 503 },
      { kind: 'answer', status: 403, code: 'AccessDenied' },
      { kind: 'answer', status: 404, code: 'NoSuchBucket' },
      { kind: 'answer', status: 404, code: '' },
      { kind: 'answer', status: 301, code: 'PermanentRedirect' },
    ] as const) {
      proxy.next(fault, { times: 1_000 })
      await Promise.all([
        assert.rejects(store.read(key), BlobsUnavailableError, fault.kind),
        assert.rejects(store.fetch(missing), BlobsUnavailableError),
        assert.rejects(store.openFile(key), BlobsUnavailableError),
        assert.rejects(store.has(missing), BlobsUnavailableError),
        assert.rejects(store.remove(missing), BlobsUnavailableError),
        assert.rejects(store.readDocument('manifests/dpl_1.json'), BlobsUnavailableError),
        assert.rejects(store.writeDocument('manifests/dpl_1.json', Buffer.from('x')), BlobsUnavailableError),
        assert.rejects(put(store, Buffer.from('more')), BlobsUnavailableError),
        assert.rejects(store.probe(), BlobsUnavailableError),
      ])
      proxy.mend()
    }
    assert.equal((await store.read(key)).toString(), 'there')
    assert.equal(await store.fetch(missing), null)
  })

  test('a read that stays cut in the middle is unavailable, not short', async () => {
    await using trouble = await openTroubledS3Store(impatient)
    const { store, proxy } = trouble
    const key = await put(store, randomBytes(1_000_000))
    const fetched = await store.fetch(key)
    assert.ok(fetched)
    proxy.next({ kind: 'answer', status: 503 }, { times: 1_000 })
    await receive(fetched.content)

    proxy.mend()
    proxy.next({ kind: 'cut response', after: 100_000 })
    const cut = await store.fetch(key)
    assert.ok(cut)
    proxy.next({ kind: 'answer', status: 503 }, { times: 1_000 })
    await assert.rejects(receive(cut.content), BlobsUnavailableError)
    proxy.mend()
    const aborted = new AbortController()
    aborted.abort(new Error('nobody wants it'))
    await assert.rejects(store.fetch(key, aborted.signal), /nobody wants it/)
  })

  test('S3 stopped or paused is unavailable, and works when it is back', async () => {
    await using swift = await startSwift()
    const bucket = await swift.createBucket()
    const settings = { ...swift, bucket, prefix: '', sessionToken: null, pathStyle: true }
    await using opened = await openS3Store(settings, impatient)
    const { store } = opened
    const key = await put(store, Buffer.from('before'))
    swift.pause()
    await assert.rejects(store.read(key), BlobsUnavailableError)
    await assert.rejects(put(store, Buffer.from('during')), BlobsUnavailableError)
    swift.resume()
    assert.equal((await store.read(key)).toString(), 'before')
    await swift.stop()
    await assert.rejects(store.read(key), BlobsUnavailableError)
    await assert.rejects(put(store, Buffer.from('during')), BlobsUnavailableError)
    await swift.start()
    assert.equal((await store.read(key)).toString(), 'before')
    const after = await put(store, Buffer.from('after'))
    assert.equal((await store.read(after)).toString(), 'after')
  })

  test('connections that were forgotten on the way are noticed', async () => {
    const settings = await s3Settings()
    await using link = await startSeverableLink(settings.endpoint)
    const endpoint = link.url.replace(/\/$/, '')
    await using opened = await openS3Store({ ...settings, endpoint }, { silenceMs: 300, retryReadsMs: 5_000 })
    const key = await put(opened.store, Buffer.from('content'))
    link.freeze()
    assert.equal((await opened.store.read(key)).toString(), 'content')
  })

  test('a read over a connection that was forgotten on the way succeeds over a new one, with the usual limits', async () => {
    const settings = await s3Settings()
    await using link = await startSeverableLink(settings.endpoint)
    const endpoint = link.url.replace(/\/$/, '')
    await using opened = await openS3Store({ ...settings, endpoint })
    const key = await put(opened.store, Buffer.from('content'))
    link.freeze()
    assert.equal((await opened.store.read(key)).toString(), 'content')
  })

  test('only one request waits for connections that were forgotten together', async () => {
    const settings = await s3Settings()
    await using link = await startSeverableLink(settings.endpoint)
    const endpoint = link.url.replace(/\/$/, '')
    await using opened = await openS3Store({ ...settings, endpoint }, { silenceMs: 2_000, retryReadsMs: 0 })
    const { store } = opened
    const key = await put(store, Buffer.from('content'))
    await Promise.all(Array.from({ length: 8 }, () => store.read(key)))
    link.freeze()
    await assert.rejects(store.read(key), BlobsUnavailableError)
    assert.equal((await store.read(key)).toString(), 'content')
  })

  test('no error tells the secret', async () => {
    await using trouble = await openTroubledS3Store(impatient)
    const { store, proxy, settings } = trouble
    proxy.next({ kind: 'answer', status: 403, code: 'SignatureDoesNotMatch' }, { times: 10 })
    const error = await store.readDocument('manifests/a').catch((reason: unknown) => reason)
    const shown = inspect(error, { depth: 20, showHidden: true })
    assert.ok(!shown.includes(settings.secretAccessKey), shown)
    assert.ok(!shown.includes('AWS4-HMAC'), shown)
  })
})

describe('large files in S3', { skip: skipWithout('swift') }, () => {
  const inParts = { multipartBytes: 11_000_000, partBytes: 5 * 1024 * 1024 }
  const partsOf = ({ requests }: FaultProxy) =>
    requests.filter((request) => /^PUT .*partNumber=/.test(request)).length

  async function unfinished({ settings }: Awaited<ReturnType<typeof openTroubledS3Store>>): Promise<number> {
    const response = await settings.swift.request(
      'GET',
      `${settings.bucket}?uploads&prefix=${settings.prefix}`,
    )
    return (await response.text()).match(/<Upload>/g)?.length ?? 0
  }

  test('they are sent in parts, and a part that fails is sent again', async () => {
    await using trouble = await openTroubledS3Store(inParts)
    const { store, proxy } = trouble
    const content = randomBytes(12_345_678)
    proxy.next(
      { kind: 'cut request', after: 2_000_000 },
      { matches: (_, path) => path.includes('partNumber=2') },
    )
    proxy.next({ kind: 'corrupt request' }, { matches: (_, path) => path.includes('partNumber=1') })
    const key = await put(store, content)
    assert.equal(partsOf(proxy), 5)
    assert.ok(content.equals(await store.read(key)))
    const fetched = await store.fetch(key)
    assert.deepEqual([fetched?.size, fetched?.sha256], [content.byteLength, key.sha256])
    assert.ok(content.equals(await receive(fetched?.content ?? ([] as never))))
    assert.equal(await unfinished(trouble), 0)
  })

  test('the lost answer to the last step does not fail the upload', async () => {
    await using trouble = await openTroubledS3Store(inParts)
    const { store, proxy } = trouble
    const content = randomBytes(11_000_001)
    const isLastStep = (method: string, path: string) => method === 'POST' && path.includes('uploadId=')
    proxy.next({ kind: 'cut response', after: 0 }, { matches: isLastStep })
    const key = await put(store, content)
    assert.ok(content.equals(await store.read(key)))
  })

  test('one that fails leaves nothing behind', async () => {
    await using trouble = await openTroubledS3Store({ ...inParts, retryWritesMs: 200 })
    const { store, proxy, settings, inSpool } = trouble
    proxy.next(
      { kind: 'answer', status: 503 },
      { times: 1_000, matches: (_, path) => path.includes('partNumber=3') },
    )
    await assert.rejects(put(store, randomBytes(11_000_001)), BlobsUnavailableError)
    await until(async () => (await unfinished(trouble)) === 0)
    assert.deepEqual(await storedKeys(settings), [])
    assert.deepEqual(await inSpool(), [])
  })

  test('parts that a killed process left behind are removed after a day, and only our own', async () => {
    await using trouble = await openTroubledS3Store(inParts)
    const { settings } = trouble
    const start = (key: string) => settings.swift.request('POST', `${settings.bucket}/${key}?uploads`)
    await start(`${settings.prefix}acc_1/aa/left`)
    await start(`${settings.prefix}acc_1/aa/too`)
    await start('another-server/left')
    const client = createS3Client(settings, defaultS3Limits)
    const clock = { at: Date.now() }
    let runs = 0
    const now = () => {
      runs++
      return clock.at
    }
    const fail = (error: unknown) => assert.fail(String(error))
    const stop = abortStaleUploads(client, settings.prefix, fail, { everyMs: 10, now })
    await until(() => runs > 2)
    assert.equal(await unfinished(trouble), 2)
    clock.at += 2 * 24 * 60 * 60 * 1000
    await until(async () => (await unfinished(trouble)) === 0)
    stop()
    const all = await settings.swift.request('GET', `${settings.bucket}?uploads`)
    assert.match(await all.text(), /another-server\/left/)
  })
})
