import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { type OriginFault, openCache } from '../blobs/cache/cache.test-kit.ts'
import { defaultContentLimits } from './assets/content-cache.ts'
import { startEdge } from './edge.test-kit.ts'
import { askStream, siteName, startHttps } from './https.test-kit.ts'

const large = randomBytes(3 * 1024 ** 2)
const files = {
  '/warm': 'warm',
  '/warm-large': randomBytes(defaultContentLimits.bytesPerFile + 1),
  '/cold': 'cold',
  '/cold-large': large,
}

/** Sites whose files are in a store on another machine, with a cache before it. */
async function startCached(protocol: 'HTTP/1.1' | 'node:http' | 'HTTP/2', maxOpenFiles = 100) {
  const cache = await openCache({ limits: { stallMs: 500 } })
  const parts = { blobs: cache.store, maxOpenFiles }
  const edge =
    protocol === 'HTTP/2'
      ? await startHttps({ edge: parts })
      : await startEdge({}, protocol === 'node:http' ? 'http' : 'both', parts)
  for (const content of Object.values(files)) await cache.put(content, 'acc_1')
  await edge.publish('hello', files)
  if ('certify' in edge) await edge.certify(siteName)
  const session = 'openSession' in edge ? edge.openSession() : null
  return {
    ...edge,
    cache,
    ask: (path: string) => (session === null ? edge.ask(path) : askStream(session, path)),
    async [Symbol.asyncDispose]() {
      await edge[Symbol.asyncDispose]()
      await cache[Symbol.asyncDispose]()
    },
  }
}

for (const protocol of ['HTTP/1.1', 'node:http', 'HTTP/2'] as const) {
  describe(`over ${protocol}`, () => {
    for (const fault of ['is away', 'hangs', 'hangs in the middle', 'ends early', 'flips a bit'] as const) {
      test(`while the store ${fault}, warm files are served, and cold ones get 503`, async () => {
        await using edge = await startCached(protocol)
        for (const path of ['/warm', '/warm-large']) await edge.ask(path)
        edge.cache.origin.faultOf = (): OriginFault => fault
        for (let time = 0; time < 2; time++) {
          const [warm, warmLarge, cold, coldLarge] = await Promise.all(Object.keys(files).map(edge.ask))
          assert.deepEqual([warm?.status, warm?.body.toString()], [200, 'warm'])
          assert.ok(warmLarge?.body.equals(files['/warm-large']))
          for (const answer of [cold, coldLarge]) {
            assert.deepEqual([answer?.status, answer?.headers['retry-after']], [503, '5'])
            assert.equal(answer?.headers['cache-control'], 'no-store')
            assert.equal(Number(answer?.headers['content-length']), answer?.body.length)
          }
        }
        edge.cache.origin.faultOf = () => null
        // A busy machine may make the store look stalled once more.
        await until(async () => (await edge.ask('/cold')).body.toString() === 'cold')
        await until(async () => (await edge.ask('/cold-large')).body.equals(large))
      })
    }

    test('cold files that do not come take no place among the open files', async () => {
      await using edge = await startCached(protocol, 2)
      await edge.ask('/warm-large')
      edge.cache.origin.faultOf = () => 'hangs'
      const cold = Array.from({ length: 20 }, () => edge.ask('/cold-large'))
      const { status } = await Promise.race([edge.ask('/warm-large'), ...cold])
      assert.equal(status, 200)
      for (const answer of await Promise.all(cold)) assert.equal(answer.status, 503)
    })

    test('a file of a deployment that is gone is not served because the cache has it', async () => {
      await using edge = await startCached(protocol)
      assert.equal((await edge.ask('/warm')).status, 200)
      const { '/warm': _, ...others } = files
      await edge.publish('hello', others, { deploymentId: 'dpl_next' })
      edge.edge.changed({ slug: 'hello' })
      assert.equal((await edge.ask('/warm')).status, 404)
      edge.sites.clear()
      edge.edge.changed({ slug: 'hello' })
      assert.equal((await edge.ask('/cold')).status, 404)
    })
  })
}

test('small files count in the cache as what they take there, not as their few bytes', async () => {
  const totalBytes = 64 * 1024
  await using edge = await startEdge({}, 'both', { contentLimits: { totalBytes, bytesPerFile: totalBytes } })
  const paths = Array.from({ length: 300 }, (_, at) => `/${at}`)
  await edge.publish('hello', Object.fromEntries(paths.map((path) => [path, `f${path}`])))
  const visitAll = async () => {
    for (const path of paths) assert.equal((await edge.ask(path)).body.toString(), `f${path}`)
  }
  await visitAll()
  assert.equal(edge.calls.read, paths.length)
  await visitAll()
  assert.equal(edge.calls.read, 2 * paths.length)
  await edge.ask('/299')
  assert.equal(edge.calls.read, 2 * paths.length)
})
