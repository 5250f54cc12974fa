import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { clientCore, serverCore } from '../edge/contenders.ts'
import { processesOn, processorSeconds } from '../edge/processor-time.ts'
import { loadOverHttp1 } from '../load-generators.ts'
import { type BenchPublisher, startPublisher } from '../published-site.ts'
import { ratio, type Table, whole } from '../report.ts'

const rounds = 4
const secondsPerRound = 3
const projects = 20

/** What we promise of each route, compared to the bare handler. */
const routes = [
  { path: '/v1/whoami', atLeast: 0.6 },
  { path: '/v1/account', atLeast: 0.6 },
  { path: '/v1/projects', atLeast: 0.4 },
  { path: '/healthz', atLeast: null },
] as const

/** Requests with a key, beside a bare Fastify handler that finds the same key and account, each alone on one core. */
export async function measureApiRequests(): Promise<Table> {
  await using publisher = await startPublisher({
    under: ['taskset', '-c', String(serverCore)],
    env: { MASTHEAD_LOG: 'warn' },
  })
  const { masthead, key } = publisher
  await publishProjects(publisher)
  await using bare = await startBareServer(join(masthead.dataFolder, 'masthead.db'))
  const targets = [
    { name: 'bare Fastify, two look-ups', path: '/account', port: bare.port, atLeast: null },
    ...routes.map((route) => ({ ...route, name: route.path, port: masthead.httpPort })),
  ]
  const best = targets.map((): Spent => ({ rate: 0, microseconds: Number.POSITIVE_INFINITY }))
  for (let round = 0; round < rounds; round++) {
    for (const [index, { port, path }] of targets.entries()) {
      const { rate, microseconds } = await spendOn(port, path, key)
      const before = best[index] as Spent
      best[index] = {
        rate: Math.max(before.rate, rate),
        microseconds: Math.min(before.microseconds, microseconds),
      }
    }
  }
  const bareCost = best[0]?.microseconds ?? Number.NaN
  const share = (index: number) => bareCost / (best[index]?.microseconds ?? Number.NaN)
  return {
    title: 'API requests with a key',
    columns: ['route', 'requests/s', 'processor time', 'to the bare handler'],
    rows: targets.map(({ name }, index) => {
      const { rate, microseconds } = best[index] as Spent
      return [name, whole(rate), `${microseconds.toFixed(0)} µs`, ratio(share(index), 1)]
    }),
    notes: [
      `Each server on one core, wrk (1 thread, 64 connections) on another; the best of ${rounds} rounds of ${secondsPerRound} s in`,
      'turns. The ratio is that of the processor time per request; above 1.00× Masthead is the faster one. The bare',
      `handler reads the key and its account from the same SQLite file. ${projects} live projects.`,
    ],
    broken: targets.flatMap(({ name, atLeast }, index) =>
      atLeast === null || share(index) >= atLeast
        ? []
        : [`${name} makes ${share(index).toFixed(2)} of the bare handler, and should make ${atLeast}.`],
    ),
  }
}

interface Spent {
  rate: number
  /** Of processor time per request. */
  microseconds: number
}

async function spendOn(port: number, path: string, key: string): Promise<Spent> {
  const pids = await processesOn(port)
  const before = await processorSeconds(pids)
  const { requests, perSecond } = await loadOverHttp1({
    url: `http://127.0.0.1:${port}${path}`,
    headers: { Authorization: `Bearer ${key}` },
    core: clientCore,
    seconds: secondsPerRound,
  })
  const spent = (await processorSeconds(pids)) - before
  return { rate: perSecond, microseconds: (1e6 * spent) / requests }
}

async function publishProjects(publisher: BenchPublisher): Promise<void> {
  for (let n = 0; n < projects; n++) {
    await publisher.createProject(`bench-${n}`)
    await publisher.publishArchive(`bench-${n}`, tarGz({ 'index.html': 'Benchmarks' }))
  }
}

async function startBareServer(database: string): Promise<AsyncDisposable & { port: number }> {
  const port = await freePort()
  const program = fileURLToPath(new URL('bare-server.ts', import.meta.url))
  const child = fork(program, [database, String(port)], {
    execPath: 'taskset',
    execArgv: ['-c', String(serverCore), process.execPath],
  })
  killOnExit(child)
  await once(child, 'message')
  return {
    port,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
