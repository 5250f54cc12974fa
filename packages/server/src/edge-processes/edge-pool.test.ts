import assert from 'node:assert/strict'
import { dirname, extname, join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@masthead/testing/free-port.ts'
import { pauseProcess } from '@masthead/testing/pause-process.ts'
import { serverProgram } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { readConfig } from '../config/config.ts'
import { publishedRanges } from '../config/proxy-ranges.ts'
import { hour, second, systemClock } from '../kernel/clock.ts'
import { StartError } from '../kernel/program/process-lifetime.ts'
import { type EdgeChild, forkEdge } from './edge-child.ts'
import { countEarlyExits, restartBackoff, startEdgePool } from './edge-pool.ts'

test('a process that fails at every start is restarted at longer and longer intervals, up to half a minute', () => {
  const pauses: number[] = []
  let early = 0
  for (let start = 0; start < 50; start++) {
    early = countEarlyExits(early, second)
    pauses.push(restartBackoff(early))
  }
  assert.deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  )
  assert.ok((pauses[0] ?? 0) > 0)
  assert.equal(pauses.at(-1), 30 * second)
})

test('a process that ran for long is restarted soon, whatever happened before', () => {
  assert.equal(restartBackoff(countEarlyExits(40, hour)), restartBackoff(1))
})

const program = join(dirname(serverProgram), `edge-process${extname(serverProgram)}`)
const silent = { info() {}, warn() {}, error() {} }

interface PoolOptions {
  databaseUrl?: string | null
  pingEveryMs?: number
  isLeaving?: () => boolean
}

/** A pool of real processes with their own database. */
async function startPool(
  size: number,
  { databaseUrl = null, pingEveryMs, isLeaving = () => false }: PoolOptions = {},
) {
  const data = await temporaryFolder('edge-pool')
  const settings = {
    dataFolder: data.path,
    databaseUrl,
    platformDomain: 'masthead.localhost',
    dashboardHost: 'localhost',
    host: '127.0.0.1',
    httpPort: await freePort(),
    httpsPort: await freePort(),
    publicHttpsPort: 443,
    httpsRedirect: false,
    fastSockets: true,
    masterKey: 'a'.repeat(64),
    cas: readConfig({}).cas,
    platformCertificate: null,
    trustedProxies: [],
    countryHeader: null,
    proxyRanges: publishedRanges,
    workers: size,
    drainDelay: 0,
    s3: null,
    cacheBytes: null,
    stopGrace: 8_000,
    logLevel: 'silent' as const,
  }
  const children: EdgeChild[] = []
  const pool = startEdgePool({
    size,
    fork: () => {
      const child = forkEdge(
        program,
        { kind: 'start', settings, platformSocket: join(data.path, 'nobody.sock') },
        silent,
        { pingEveryMs },
      )
      children.push(child)
      return child
    },
    isLeaving,
    now: systemClock,
    log: silent,
  })
  const visit = () => fetch(`http://127.0.0.1:${settings.httpPort}/`, { headers: { connection: 'close' } })
  return {
    pool,
    children,
    visit,
    async [Symbol.asyncDispose]() {
      await pool.stop(0)
      await data.remove()
    },
  }
}

test('a killed process is replaced, and the others serve meanwhile', async () => {
  await using edges = await startPool(2)
  await edges.pool.started
  assert.equal(edges.pool.serving(), 2)
  const [first] = edges.children
  process.kill(first?.pid ?? 0, 'SIGKILL')
  assert.equal(await first?.ended, 'SIGKILL')
  // There is no main process, so they answer for it.
  for (let count = 0; count < 10; count++) assert.equal((await edges.visit()).status, 503)
  await until(() => edges.pool.serving() >= 2)
  assert.equal(edges.children.length, 3)
})

test('a pool whose processes cannot start rejects, and leaves none behind', async () => {
  await using edges = await startPool(2, { databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing' })
  await assert.rejects(edges.pool.started, StartError)
  await Promise.all(edges.children.map(({ ended }) => ended))
  assert.equal(edges.pool.serving(), 0)
  await assert.rejects(edges.visit())
})

/** Before it can handle the signal. */
async function stopAtOnce({ children }: { children: EdgeChild[] }) {
  for (const { pid } of children) process.kill(pid ?? 0, 'SIGTERM')
  const ends = await Promise.all(children.map(({ ended }) => ended))
  assert.deepEqual(new Set(ends), new Set(['SIGTERM']))
}

test('processes that are asked to stop before they serve have not failed: they are replaced', async () => {
  await using edges = await startPool(2)
  await stopAtOnce(edges)
  await edges.pool.started
  assert.equal(edges.pool.serving(), 2)
})

test('they are not replaced if the whole server is asked to stop a moment later', async () => {
  let isLeaving = false
  await using edges = await startPool(2, { isLeaving: () => isLeaving })
  const stopped = stopAtOnce(edges)
  isLeaving = true
  await stopped
  await assert.rejects(edges.pool.started, StartError)
  assert.equal(edges.children.length, 2)
})

test('a process that is not responding delays nobody for long, and may recover', async () => {
  await using edges = await startPool(1)
  await edges.pool.started
  const pid = edges.children[0]?.pid ?? 0
  pauseProcess(pid)
  await edges.pool.catchUp()
  process.kill(pid, 'SIGCONT')
  await edges.pool.catchUp()
  assert.equal(edges.pool.serving(), 1)
})

test('a process that stays like this is replaced, and one that answers is not', async () => {
  await using edges = await startPool(2, { pingEveryMs: 200 })
  await edges.pool.started
  const [stuck, healthy] = edges.children
  pauseProcess(stuck?.pid ?? 0)
  assert.equal(await stuck?.ended, 'SIGKILL')
  await until(() => edges.pool.serving() === 2)
  assert.equal(healthy?.isServing(), true)
})
