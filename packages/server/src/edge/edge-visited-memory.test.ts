import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Answer, startEdge } from './edge.test-kit.ts'

type Edge = Awaited<ReturnType<typeof startEdge>>

const MiB = 1024 ** 2
/** Heads that are kept, of one protocol, and what the process may take for something else meanwhile. */
const otherBytes = 17 * MiB
const codings = ['identity', 'gzip', 'br', 'zstd']

function bytesInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** All have the same content. */
async function publishMany(edge: Edge, files: number): Promise<string[]> {
  const site = await edge.publish('hello', { '/index.html': 'front '.repeat(100) }, { encoded: true })
  const file = site.manifest.get('/index.html')
  assert.ok(file)
  const paths = Array.from({ length: files }, (_, at) => `/documents/of-section-${at % 40}/article-${at}.txt`)
  edge.sites.set('hello', { ...site, manifest: new Map(paths.map((path) => [path, file])) })
  return paths
}

async function visit(edge: Edge, paths: readonly string[]): Promise<void> {
  const requests = paths.flatMap((path) =>
    codings.map(
      (coding) =>
        `GET ${path} HTTP/1.1\r\nHost: hello.masthead.localhost\r\nAccept-Encoding: ${coding}\r\n\r\n`,
    ),
  )
  const last = 'GET / HTTP/1.1\r\nHost: hello.masthead.localhost\r\nConnection: close\r\n\r\n'
  const answers = await edge.exchange(`${requests.join('')}${last}`)
  assert.equal(answers.split('HTTP/1.1 200 OK').length - 1, requests.length)
}

test('a site of which every file was visited takes no more memory than the edge may use for sites', async () => {
  const maxSiteBytes = 4 * MiB
  await using edge = await startEdge({}, 'both', { maxSiteBytes })
  const paths = await publishMany(edge, 4_000)
  await visit(edge, paths.slice(0, 10))
  const before = bytesInUse()
  for (let at = 0; at < paths.length; at += 200) await visit(edge, paths.slice(at, at + 200))
  const taken = bytesInUse() - before
  assert.ok(taken < maxSiteBytes + otherBytes, `${taken} bytes`)
})

test('answers are the same where the edge has no memory to keep them in', async () => {
  await using edge = await startEdge()
  await using forgetful = await startEdge({}, 'both', { maxSiteBytes: 1 })
  const files = { '/index.html': 'front '.repeat(100), '/old.html': 'old', '/404.html': 'missing' }
  const rules = {
    '/_headers': '/*\n  X-Frame-Options: DENY\n/o*\n  X-Old: :splat\n',
    '/_redirects': '/app/* /index.html 200\n',
  }
  for (const { publish } of [edge, forgetful]) {
    await publish('plain', files, { encoded: true })
    await publish('ruled', { ...files, ...rules }, { encoded: true })
  }
  const paths = ['/', '/old', '/old.html', '/app/1', '/missing', '/index.html']
  for (const path of [...paths, ...paths]) {
    for (const slug of ['plain', 'ruled']) {
      for (const coding of codings) {
        const headers = { host: `${slug}.masthead.localhost`, 'accept-encoding': coding }
        const [expected, answer] = await Promise.all([edge, forgetful].map(({ ask }) => ask(path, headers)))
        assert.deepEqual(withoutDate(answer), withoutDate(expected))
      }
    }
  }
})

function withoutDate(answer: Answer | undefined) {
  return { ...answer, headers: { ...answer?.headers, date: undefined } }
}
