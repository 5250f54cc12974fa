import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { probe } from './probe.ts'
import { startPublisher } from './publisher.ts'
import { startCaddy, startNginx } from './rival-servers.ts'
import { ratio, type Table, whole } from './table.ts'
import { requestsPerSecond } from './wrk.ts'

const host = 'bench.masthead.localhost'
const [serverCore, clientCore] = [0, 1]
const rounds = 5
const secondsPerRound = 3

const cases = [
  { name: '4 KB', path: '/small.css', bytes: 4096, conditional: false },
  { name: '64 KB', path: '/large.css', bytes: 65536, conditional: false },
  { name: '304 of 4 KB', path: '/small.css', bytes: 4096, conditional: true },
] as const

/** The same files from three servers, each alone on one core, in turns so that a busy moment hits them all. */
export async function measureEdge(): Promise<Table> {
  await using folder = await temporaryFolder('masthead-site')
  const site = join(folder.path, 'site')
  const archive = join(folder.path, 'site.tar.gz')
  await mkdir(site)
  await writeFile(join(site, 'index.html'), 'Benchmarks')
  for (const { path, bytes } of cases)
    await writeFile(join(site, path), randomBytes(bytes / 2).toString('hex'))
  await promisify(execFile)('tar', ['-czf', archive, '-C', site, '.'])

  await using servers = new AsyncDisposableStack()
  const publisher = servers.use(await startPublisher({ under: ['taskset', '-c', String(serverCore)] }))
  await publisher.createProject('bench')
  await publisher.publishArchive('bench', archive)
  const caddy = servers.adopt(await startCaddy(site, serverCore), (server) => server.stop())
  const nginx = servers.adopt(await startNginx(site, serverCore), (server) => server.stop())
  const ports = [publisher.masthead.httpPort, caddy.port, nginx.port]

  const rows: string[][] = []
  for (const { name, path, bytes, conditional } of cases) {
    const loads = await Promise.all(
      ports.map((port) => prepare(`http://127.0.0.1:${port}${path}`, bytes, conditional)),
    )
    const rates = loads.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, load] of loads.entries()) rates[index]?.push(await requestsPerSecond(load))
    }
    const [masthead = 0, ...rivals] = rates.map((each) => Math.max(...each))
    rows.push([name, ...[masthead, ...rivals].map(whole), ...rivals.map((rival) => ratio(masthead, rival))])
  }
  return {
    title: 'Edge over HTTP, requests a second',
    columns: ['file', 'Masthead', 'Caddy', 'nginx', 'to Caddy', 'to nginx'],
    rows,
    notes: [
      `Each server pinned to one core, wrk (1 thread, 64 connections) to another; the best of ${rounds} rounds of`,
      `${secondsPerRound} s in turns, since what else runs on a machine only slows. Above 1.00× Masthead is the faster one.`,
    ],
  }
}

/** Makes sure that this server gives the answer that is to be counted. */
async function prepare(url: string, bytes: number, conditional: boolean) {
  const full = await probe(url, { Host: host })
  if (full.status !== 200 || full.bytes !== bytes)
    throw new Error(`${url}: ${full.status}, ${full.bytes} bytes`)
  const headers = conditional ? { Host: host, 'If-None-Match': full.etag ?? '' } : { Host: host }
  const again = await probe(url, headers)
  if (again.status !== (conditional ? 304 : 200)) throw new Error(`${url}: ${again.status} to If-None-Match`)
  return { url, headers, core: clientCore, seconds: secondsPerRound }
}
