import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { get } from 'node:http'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { createGzip } from 'node:zlib'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz, tarHeader } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startFaultProxy } from '@masthead/testing/peers/fault-proxy.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { type RunningSwift, startSwift } from '@masthead/testing/peers/swift.ts'
import { until } from '@masthead/testing/until.ts'

const MB = 1_000_000
/** More than a server's memory may grow by. */
const fileBytes = 150 * MB
const skip = skipWithout('postgresql', 'swift')
/** What nodes with data folders of their own must share. */
const shared = { MASTHEAD_MASTER_KEY: randomBytes(32).toString('hex') }

/** Each test has a bucket of its own. */
const sharedSwift = () => (startedSwift ??= startSwift())
let startedSwift: Promise<RunningSwift> | undefined
after(async () => (await startedSwift)?.[Symbol.asyncDispose]())

/** What a visitor gets, by its digest, since it may be large. */
async function visit(
  port: number,
  host: string,
  path = '/',
): Promise<{ status: number; sha256: string; bytes: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    sha256: string
    bytes: number
  }>()
  get({ port, host: '127.0.0.1', path, headers: { host }, agent: false }, (response) => {
    const hash = createHash('sha256')
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      bytes += chunk.byteLength
    })
    response.on('error', reject)
    response.on('end', () => resolve({ status: response.statusCode ?? 0, sha256: hash.digest('hex'), bytes }))
  }).on('error', reject)
  return promise
}

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

test('two servers with folders of their own serve the same files from S3', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const swift = await sharedSwift()
  await using schema = await postgresSchema()
  const env = {
    ...shared,
    DATABASE_URL: schema.url,
    MASTHEAD_BLOBS: `s3://${await swift.createBucket()}/sites`,
    MASTHEAD_S3_ENDPOINT: swift.endpoint,
    AWS_ACCESS_KEY_ID: swift.accessKeyId,
    AWS_SECRET_ACCESS_KEY: swift.secretAccessKey,
    MASTHEAD_MAX_FILE_BYTES: String(fileBytes),
  }
  await using first = await MastheadProcess.start({ env })
  await using second = await MastheadProcess.start({ env: { ...env, MASTHEAD_WORKERS: '2' } })
  const publisher = await createPublisher(first)

  for (const content of ['one', 'two']) {
    const slug = `site-${content}`
    await publisher.createProject(slug)
    await publisher.publishArchive(slug, tarGz({ 'index.html': content }))
    for (const { httpPort } of [first, second]) {
      const host = `${slug}.masthead.localhost`
      await until(async () => (await visit(httpPort, host)).sha256 === sha256(content))
    }
  }

  const hash = createHash('sha256')
  async function* tar(): AsyncGenerator<Buffer> {
    yield tarHeader('large.bin', fileBytes)
    for (let sent = 0; sent < fileBytes; sent += MB) {
      const chunk = randomBytes(MB)
      hash.update(chunk)
      yield chunk
    }
    yield Buffer.alloc((512 - (fileBytes % 512)) % 512)
    yield Buffer.alloc(1024)
  }
  const before = [await first.peakRss(), await second.peakRss()] as const
  await publisher.createProject('large')
  await publisher.publishArchive(
    'large',
    Readable.toWeb(Readable.from(tar()).pipe(createGzip({ level: 0, chunkSize: MB }))),
  )
  const expected = { status: 200, sha256: hash.digest('hex'), bytes: fileBytes }
  for (const { httpPort } of [first, second]) {
    const host = 'large.masthead.localhost'
    await until(async () => (await visit(httpPort, host, '/missing')).status === 404)
    assert.deepEqual(await visit(httpPort, host, '/large.bin'), expected)
  }
  for (const [index, masthead] of [first, second].entries()) {
    const raised = (await masthead.peakRss()) - (before[index] ?? 0)
    t.diagnostic(`memory of server ${index + 1} raised by ${Math.round(raised / MB)} MB`)
    assert.ok(raised < 120 * MB, `raised by ${raised} bytes`)
  }

  await publisher.createProject('cold')
  await publisher.publishArchive('cold', tarGz({ 'index.html': 'cold' }))
  await swift.stop()
  for (const { httpPort } of [first, second]) {
    assert.equal((await visit(httpPort, 'site-one.masthead.localhost')).sha256, sha256('one'))
    assert.deepEqual(await visit(httpPort, 'large.masthead.localhost', '/large.bin'), expected)
    assert.equal((await fetch(`http://127.0.0.1:${httpPort}/readyz`)).status, 200)
  }
  assert.equal((await visit(second.httpPort, 'cold.masthead.localhost')).status, 503)
  await assert.rejects(
    publisher.publishArchive('cold', tarGz({ 'index.html': 'warmer' })),
    /503.*unavailable/,
  )
  await swift.start()
  await until(async () => (await visit(second.httpPort, 'cold.masthead.localhost')).sha256 === sha256('cold'))
  await publisher.publishArchive('cold', tarGz({ 'index.html': 'warmer' }))
  await until(
    async () => (await visit(second.httpPort, 'cold.masthead.localhost')).sha256 === sha256('warmer'),
  )
  assert.ok(!`${first.output}${second.output}`.includes('AWS4-HMAC'))
})

test('a server killed in the middle of an upload to S3 loses nothing, and the next deploy works', {
  skip,
  timeout: 300_000,
}, async () => {
  const swift = await sharedSwift()
  await using schema = await postgresSchema()
  await using proxy = await startFaultProxy(swift.endpoint)
  await using masthead = await MastheadProcess.start({
    env: {
      ...shared,
      DATABASE_URL: schema.url,
      MASTHEAD_BLOBS: `s3://${await swift.createBucket()}`,
      ...swift.settings,
      MASTHEAD_S3_ENDPOINT: proxy.url,
    },
  })
  const publisher = await createPublisher(masthead)
  await publisher.createProject('site')
  await publisher.publishArchive('site', tarGz({ 'index.html': 'before' }))
  const host = 'site.masthead.localhost'
  const shows = async (content: string) => (await visit(masthead.httpPort, host)).sha256 === sha256(content)
  await until(() => shows('before'))

  const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.html`, `file ${n}`]))
  for (const killedAt of [0, 3, 8]) {
    let seen = 0
    proxy.next(
      { kind: 'call', run: () => masthead.signal('SIGKILL') },
      { matches: (method) => method === 'PUT' && seen++ === killedAt },
    )
    const archive = tarGz({ 'index.html': `after ${killedAt}`, ...files })
    await assert.rejects(publisher.publishArchive('site', archive))
    await masthead.ended()
    await masthead.restart()
    await until(() => shows('before'))
  }
  proxy.mend()
  await publisher.publishArchive('site', tarGz({ 'index.html': 'after', ...files }))
  await until(() => shows('after'))
  for (const [name, content] of Object.entries(files)) {
    assert.equal(
      (await visit(masthead.httpPort, host, `/${name.replace('.html', '')}`)).sha256,
      sha256(content),
    )
  }
})

test('a wrong bucket stops the start with one line that says what to correct', {
  skip: skipWithout('swift'),
}, async () => {
  const swift = await sharedSwift()
  const env = {
    MASTHEAD_BLOBS: 's3://not-there',
    MASTHEAD_S3_ENDPOINT: swift.endpoint,
    MASTHEAD_S3_ACCESS_KEY_ID: swift.accessKeyId,
    MASTHEAD_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
  }
  const started = MastheadProcess.start({ env })
  await assert.rejects(started, /ended with 1[\s\S]*MASTHEAD_BLOBS: there is no bucket not-there/)
})
