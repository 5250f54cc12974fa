import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startFaultProxy } from '@masthead/testing/peers/fault-proxy.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startSwift } from '@masthead/testing/peers/swift.ts'
import { until } from '@masthead/testing/until.ts'

const MiB = 1024 ** 2
const cacheBytes = 12 * MiB

const randomText = (size: number) => randomBytes(size).toString('base64').slice(0, size)

interface CachedAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A connection of its own, so that any of the processes may answer. */
function ask({ httpPort }: MastheadProcess, slug: string, path: string): Promise<CachedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CachedAnswer>()
  const headers = { host: `${slug}.masthead.localhost` }
  request({ host: '127.0.0.1', port: httpPort, path, headers, agent: false })
    .on('error', reject)
    .on('response', (response) => {
      const { statusCode: status = 0, headers: received } = response
      buffer(response).then((body) => resolve({ status, headers: received, body }), reject)
    })
    .end()
  return promise
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) => stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 })))
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0)
}

test('edges serve what they have cached, whatever becomes of S3, and nothing that is not whole', {
  skip: skipWithout('postgresql', 'swift'),
  timeout: 300_000,
}, async () => {
  await using swift = await startSwift()
  await using schema = await postgresSchema()
  await using proxy = await startFaultProxy(swift.endpoint)
  await using masthead = await MastheadProcess.start({
    env: {
      DATABASE_URL: schema.url,
      MASTHEAD_WORKERS: '2',
      MASTHEAD_BLOBS: `s3://${await swift.createBucket()}`,
      ...swift.settings,
      MASTHEAD_S3_ENDPOINT: proxy.url,
      MASTHEAD_CACHE_BYTES: String(cacheBytes),
    },
  })
  const publisher = await createPublisher(masthead)
  // Named such that nothing compresses them, or the worker would read them too.
  const texts: Record<string, string> = {
    'small.png': randomText(4096),
    'large.png': randomText(3 * MiB),
    'damaged.png': randomText(4096),
    'cut.png': randomText(2 * MiB),
    'slow.png': randomText(3 * MiB),
    'late.png': randomText(4096),
    'late-large.png': randomText(1.5 * MiB),
    ...Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`more-${n}.png`, randomText(2.5 * MiB)])),
  }
  const files = new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]))
  await publisher.createProject('site')
  await publisher.publishArchive('site', tarGz(texts))
  // The operator's sample site is compressed at some time, and read for that.
  const isContent = (method: string, path: string) =>
    method === 'GET' && path.includes(`/${publisher.accountId}/`)
  const reads = () => proxy.requests.filter((line) => isContent(line.slice(0, 3), line.slice(4)))
  const expectReads = async (count: number, work: () => Promise<unknown>) => {
    const before = reads().length
    await work()
    const since = reads().slice(before)
    assert.equal(since.length, count, since.join('\n'))
  }
  const check = async (name: string) => {
    const { status, body } = await ask(masthead, 'site', `/${name}`)
    assert.equal(status, 200, name)
    assert.ok(body.equals(files.get(name) ?? assert.fail(name)), name)
  }
  const unavailable = async (name: string) => {
    const { status, headers } = await ask(masthead, 'site', `/${name}`)
    assert.deepEqual([status, headers['retry-after']], [503, '5'], name)
  }
  const many = (count: number, name: string) => Promise.all(Array.from({ length: count }, () => check(name)))
  // Every process has loaded the site.
  const isMissingEverywhere = async (path: string) => {
    for (let n = 0; n < 20; n++) if ((await ask(masthead, 'site', path)).status !== 404) return false
    return true
  }
  assert.ok(await isMissingEverywhere('/missing'))

  // A cold file costs one read, in all processes together.
  await expectReads(1, () => check('small.png'))
  await expectReads(0, () => many(40, 'small.png'))
  await expectReads(1, () => many(40, 'large.png'))

  // Damage on the way is repaired, or nothing is served.
  proxy.next({ kind: 'corrupt response' }, { matches: isContent })
  await check('damaged.png')
  proxy.next({ kind: 'corrupt response' }, { times: 1000, matches: isContent })
  await unavailable('cut.png')
  proxy.mend()
  proxy.next({ kind: 'cut response', after: 0 }, { times: 1000, matches: isContent })
  await unavailable('cut.png')
  proxy.mend()
  proxy.next({ kind: 'cut response', after: 100_000 }, { times: 3, matches: isContent })
  await check('cut.png')
  proxy.mend()

  // While S3 is stopped or halted, warm files are served and cold ones are not.
  await swift.stop()
  await Promise.all([check('small.png'), many(20, 'large.png'), unavailable('late.png')])
  await swift.start()
  await until(async () => (await ask(masthead, 'site', '/late.png')).status === 200)
  swift.pause()
  await Promise.all([check('large.png'), check('late.png'), unavailable('late-large.png')])
  swift.resume()
  await until(async () => (await ask(masthead, 'site', '/late-large.png')).status === 200)

  // Killed in the middle of a fetch and started again: nothing of it is served, and then all of it.
  const kill = () => masthead.signal('SIGKILL')
  proxy.next({ kind: 'stall response', after: MiB, run: kill }, { matches: isContent })
  await assert.rejects(ask(masthead, 'site', '/slow.png'))
  await masthead.ended()
  await masthead.restart()
  await check('slow.png')

  // A restarted server with a warm disk serves its sites without S3.
  await masthead.kill()
  await swift.stop()
  await masthead.restart()
  await Promise.all([check('small.png'), check('large.png'), unavailable('more-0.png')])
  await swift.start()
  await until(async () => (await ask(masthead, 'site', '/more-0.png')).status === 200)

  // The bound holds, and evicted files are fetched again.
  const content = join(masthead.dataFolder, 'cache', 'content')
  for (let n = 0; n < 8; n++) {
    await check(`more-${n}.png`)
    assert.ok((await sizeOf(content)) <= cacheBytes)
  }
  await check('large.png')

  // What was removed is not served because it is cached.
  await publisher.publishArchive('site', tarGz({ 'index.html': 'next' }))
  await until(async () => (await ask(masthead, 'site', '/')).body.toString() === 'next')
  await until(() => isMissingEverywhere('/large.png'))
})
