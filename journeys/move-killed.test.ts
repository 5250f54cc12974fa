import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createClient } from '@masthead/client/client.ts'
import { createPublisher, type Publisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startFaultProxy } from '@masthead/testing/peers/fault-proxy.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startSwift } from '@masthead/testing/peers/swift.ts'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

/** A few show that it works; `MASTHEAD_MOVE_PROJECTS=1000 MASTHEAD_MOVE_FILES=500` is the whole trial, with 5 GB. */
const projects = Number(process.env.MASTHEAD_MOVE_PROJECTS ?? 2)
const largeFiles = Number(process.env.MASTHEAD_MOVE_FILES ?? 4)
const largeBytes = 10 * 1024 * 1024
const perProject = 10
const rows = projects * perProject

const program = fileURLToPath(new URL('../packages/server/bin/masthead-server.js', import.meta.url))

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  output: string
  peakMb: number
  seconds: number
}

/** As the operator runs it. `onStart` may end it. */
async function mastheadServer(
  args: readonly string[],
  env: Record<string, string>,
  onStart: (child: ChildProcess) => void = () => {},
): Promise<Ended> {
  const start = performance.now()
  const settings = { ...programEnvironment, ...env }
  const child = spawn(process.execPath, [program, ...args], {
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onStart(child)
  let peakMb = 0
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakMb = Math.max(peakMb, Math.round(Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024))
  }, 100)
  const closed = once(child, 'close')
  const output = (await Promise.all([text(child.stderr), text(child.stdout)])).join('')
  const [code, signal] = await closed
  clearInterval(watch)
  return { code, signal, output, peakMb, seconds: Math.round((performance.now() - start) / 1000) }
}

/** Every project has its deployments, and the first ones a large file too. */
async function publishAll(publisher: Publisher): Promise<void> {
  await forEach(projects, 4, async (index) => {
    const slug = `p${index}`
    await publisher.createProject(slug)
    for (let count = 0; count < perProject; count++) {
      const files = { 'index.html': `project ${index}`, 'count.txt': `${count % 3}` }
      await publisher.publishArchive(slug, tarGz(files))
    }
  })
  await forEach(largeFiles, 2, async (index) => {
    const files = { 'index.html': `large ${index}`, 'large.bin': randomBytes(largeBytes) as never }
    await publisher.publishArchive(`p${index % projects}`, tarGz(files))
  })
}

async function forEach(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const each = async () => {
    for (let index = next++; index < count; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: atOnce }, each))
}

/** One digest of what visitors and the API get from every project: pages, large files and lists of deployments. */
async function observe(masthead: MastheadProcess, key: string): Promise<string> {
  const client = createClient({ server: masthead.origin, key })
  const found: string[] = []
  let deployments = 0
  await forEach(projects, 4, async (index) => {
    const slug = `p${index}`
    const { items } = await client.listDeployments({ params: { project: slug }, query: { limit: 100 } })
    deployments += items.length
    const page = await digestOf(masthead, slug, '/')
    const large = await digestOf(masthead, slug, '/large.bin')
    const list = items.map(({ id, files, bytes, active }) => ({ id, files, bytes, active }))
    found[index] = JSON.stringify({ list, page, large })
    assert.match(page, /^200 /)
    if (index < largeFiles) assert.match(large, new RegExp(`^200 ${largeBytes} `))
  })
  assert.equal(deployments, rows)
  return createHash('sha256').update(found.join('\n')).digest('hex')
}

async function digestOf({ httpPort }: MastheadProcess, slug: string, path: string): Promise<string> {
  const headers = { host: `${slug}.masthead.localhost:${httpPort}` }
  const asked = request({ host: '127.0.0.1', port: httpPort, path, headers, agent: false }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of response) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return `${response.statusCode} ${bytes} ${hash.digest('hex')}`
}

function report(t: TestContext, name: string, { seconds, peakMb, output }: Ended): void {
  t.diagnostic(
    `${name}: ${seconds} s, at most ${peakMb} MB of memory\n${output.trimEnd().split('\n').slice(0, 12).join('\n')}`,
  )
}

test('a move that is killed twice ends with the same installation, and so do its backup and restore', {
  skip: skipWithout('postgresql', 'swift'),
  timeout: 120_000 + rows * 500 + largeFiles * 10_000,
}, async (t) => {
  await using folder = await temporaryFolder('masthead-move-killed')
  await using schema = await postgresSchema()
  await using swift = await startSwift()
  await using link = await startFaultProxy(swift.endpoint)
  const [laptop = '', node = '', backup = '', restored = ''] = ['laptop', 'node', 'backup', 'restored'].map(
    (name) => join(folder.path, name),
  )
  let key: string
  let before: string
  {
    await using masthead = await MastheadProcess.start({ dataFolder: laptop })
    const publisher = await createPublisher(masthead)
    key = publisher.key
    await publishAll(publisher)
    before = await observe(masthead, key)
  }
  const keyOf = async (name: string) => (await readFile(join(laptop, `${name}.key`), 'utf8')).trim()
  const blobs = `s3://${await swift.createBucket()}/sites`
  const cluster = {
    ...swift.settings,
    DATABASE_URL: schema.url,
    MASTHEAD_BLOBS: blobs,
    MASTHEAD_CACHE_BYTES: String(2 * 1024 ** 3),
    MASTHEAD_MASTER_KEY: await keyOf('master'),
    MASTHEAD_OPERATOR_KEY: await keyOf('operator'),
  }
  const source = { ...swift.settings, MASTHEAD_DATA: laptop }
  const move = ['move', '--to', schema.url, '--blobs', blobs]

  // Manifests are copied first, one per deployment: once among them, once among the large files.
  for (const writes of [rows / 2, rows / 2 + projects + largeFiles / 2]) {
    let written = 0
    const matches = (method: string) => method === 'PUT' && ++written > writes
    const killed = await mastheadServer(move, { ...source, MASTHEAD_S3_ENDPOINT: link.url }, (child) =>
      link.next({ kind: 'call', run: () => child.kill('SIGKILL') }, { matches }),
    )
    report(t, `killed after ${writes} writes`, killed)
    assert.equal(killed.signal, 'SIGKILL')
  }
  const moved = await mastheadServer(move, source)
  report(t, 'move', moved)
  assert.equal(moved.code, 0)
  assert.match(moved.output, /Everything has been moved: /)
  {
    await using masthead = await MastheadProcess.start({ dataFolder: node, env: cluster })
    assert.equal(await observe(masthead, key), before)
    for (const name of ['backup', 'backup again']) {
      const taken = await mastheadServer(['backup', backup], { ...cluster, MASTHEAD_DATA: node })
      report(t, name, taken)
      assert.equal(taken.code, 0)
    }
  }
  const verified = await mastheadServer(['verify', backup], {})
  report(t, 'verify', verified)
  assert.equal(verified.code, 0)
  const settings = { MASTHEAD_DATA: restored, MASTHEAD_MASTER_KEY: cluster.MASTHEAD_MASTER_KEY }
  const put = await mastheadServer(['restore', backup], settings)
  report(t, 'restore', put)
  assert.equal(put.code, 0)
  await using masthead = await MastheadProcess.start({ dataFolder: restored, env: settings })
  assert.equal(await observe(masthead, key), before)
  t.diagnostic(`the same digest each time: ${before}`)
})
