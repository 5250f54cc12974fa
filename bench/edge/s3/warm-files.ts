import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { forEachConcurrently } from '@masthead/server/src/kernel/concurrency.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { startFaultProxy } from '@masthead/testing/peers/fault-proxy.ts'
import { startSwift } from '@masthead/testing/peers/swift.ts'
import { startLoad } from '../../load-generators.ts'
import { type BenchPublisher, startPublisher } from '../../published-site.ts'
import { ratio, type Table, whole } from '../../report.ts'
import { processesOn, processorSeconds } from '../processor-time.ts'

const sitesOfEach = 100
const sizes = { '4 KB, from memory': 4096, '2 MB, from the disk': 2 * 1024 ** 2 }
const [rounds, secondsPerRound] = [4, 4]
/** What the cache may cost. */
const target = 0.97

const hostOf = (slug: string) => `${slug}.masthead.localhost`

function visit(port: number, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  request({ port, host: '127.0.0.1', path: '/', headers: { host }, agent: false })
    .on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', reject)
    })
    .on('error', reject)
    .end()
  return promise
}

/** Publishes all sites and visits each once. */
async function publishSites(
  publisher: BenchPublisher,
  slugs: readonly string[],
  size: number,
): Promise<void> {
  await forEachConcurrently(slugs, 4, async (slug) => {
    const content = randomBytes(size).toString('base64').slice(0, size)
    await publisher.createProject(slug)
    await publisher.publishArchive(slug, tarGz({ 'index.html': content }))
    const status = await visit(publisher.masthead.httpPort, hostOf(slug))
    if (status !== 200) throw new Error(`${slug} answers ${status}`)
  })
}

/** What serving from the cache costs beside serving from the data folder, and what filling it costs S3. */
export async function measureCachedFiles(): Promise<Table> {
  await using swift = await startSwift()
  await using proxy = await startFaultProxy(swift.endpoint)
  const common = { under: ['taskset', '-c', '0'] }
  // Without the worker, which would compress the sites meanwhile.
  const roles = { MASTHEAD_ROLES: 'api,edge' }
  await using local = await startPublisher({ ...common, env: roles })
  const s3 = {
    ...swift.settings,
    MASTHEAD_BLOBS: `s3://${await swift.createBucket()}`,
    MASTHEAD_S3_ENDPOINT: proxy.url,
  }
  await using cached = await startPublisher({ ...common, env: { ...roles, ...s3 } })
  const rows: string[][] = []
  const broken: string[] = []
  for (const [kind, size] of Object.entries(sizes)) {
    const slugs = Array.from({ length: sitesOfEach }, (_, n) => `site-${size}-${n}`)
    for (const publisher of [local, cached]) await publishSites(publisher, slugs, size)
    const best = [0, 0]
    for (let round = 0; round < rounds; round++) {
      for (const [index, { masthead }] of [local, cached].entries()) {
        best[index] = Math.max(best[index] ?? 0, await measure(masthead.httpPort, slugs.map(hostOf)))
      }
    }
    const [fromFolder = 0, fromCache = 0] = best
    rows.push([kind, whole(fromFolder), whole(fromCache), ratio(fromCache, fromFolder)])
    if (fromCache < target * fromFolder)
      broken.push(`${kind}: ${ratio(fromCache, fromFolder)} of the folder, not ${target}×.`)
  }
  const reads = proxy.requests.filter((line) => /^GET .*\/acc_/.test(line)).length
  const files = sitesOfEach * Object.keys(sizes).length
  if (reads !== files) broken.push(`${reads} reads of S3 for ${files} cold files.`)
  return {
    title: `${files} sites from S3, warm: requests per second of processor time`,
    columns: ['file', 'data folder', 'S3 with cache', 'ratio'],
    rows,
    notes: [
      `Each server on one core, plain HTTP/1.1, 8 connections; the best of ${rounds} rounds of ${secondsPerRound} s in turns.`,
      `${whole(files)} cold files took ${whole(reads)} reads of S3, all requests since then none. Target: ${target}×.`,
    ],
    broken,
  }
}

async function measure(port: number, hosts: readonly string[]): Promise<number> {
  const pids = await processesOn(port)
  const load = await startLoad(port, hosts, 0)
  const [before, startedAt] = [await processorSeconds(pids), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, secondsPerRound * 1000))
  const used = (await processorSeconds(pids)) - before
  const elapsed = (performance.now() - startedAt) / 1000
  const perSecond = await load.stop()
  return (perSecond * elapsed) / used
}
