import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer, type ListenOptions } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Counter, Gauge } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { Clock } from '../kernel/clock.ts'
import { StartError } from '../kernel/program/process-lifetime.ts'
import type { InheritedSockets, ListeningSocket } from '../kernel/sockets/listening-socket.ts'
import { processSocketPath } from '../kernel/sockets/process-sockets.ts'
import { forkEdge } from './edge-child.ts'
import { startEdgePool } from './edge-pool.ts'
import type { GatheredMetrics } from './gathered-metrics.ts'
import { edgeSettingsOf } from './messages.ts'
import { listenForEdges } from './platform-socket.ts'

/** The processes of a server that was just killed need a moment to exit. */
const portTimeoutMs = 3_000
const retryAfterMs = 100

/**
 * A port that processes share (SO_REUSEPORT) could silently be shared with a foreign process too. So we first listen on
 * it exclusively.
 */
export async function checkPortCanBeShared(at: { host: string; port: number }): Promise<void> {
  for (let waited = 0; ; waited += retryAfterMs) {
    try {
      await listenBriefly(at)
      break
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE') || waited >= portTimeoutMs) throw error
      await sleep(retryAfterMs)
    }
  }
  try {
    await listenBriefly({ ...at, reusePort: true })
  } catch (error) {
    if (!hasCode(error, 'ENOTSUP')) throw error
    throw new StartError('MASTHEAD_WORKERS: this system does not let processes share a port. Set it to 1.')
  }
}

async function listenBriefly(options: ListenOptions): Promise<void> {
  const server = createServer().listen(options)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

export interface StartEdgeProcessesParts {
  /** The main module of an edge process. */
  program: string
  storage: { database: Database; changes: ChangeFeed; now: Clock }
  config: Config
  /** The dashboard and the API. */
  platform: RequestListener
  /** Shared by all of them, also by those that are started later. */
  inherited: InheritedSockets
  isLeaving: () => boolean
  metrics: GatheredMetrics
  log: Logger
}

/**
 * Runs the edge in several processes that share the ports. They read the database and write nothing. Requests for the
 * dashboard and the API are forwarded here, so that there is one API, one limiter and one writer.
 */
export async function startEdgeProcesses(parts: StartEdgeProcessesParts) {
  const { program, storage, config, platform, inherited, isLeaving, metrics, log } = parts
  const path = processSocketPath('platform', config)
  const { host } = config
  const shared: ListeningSocket[] = []
  for (const port of [config.httpPort, config.httpsPort]) {
    const handles = inherited.take(host, port)
    if (handles.length === 0) await checkPortCanBeShared({ host, port })
    shared.push(...handles.map((handle) => ({ host, port, handle })))
  }
  const settings = edgeSettingsOf(config)
  // First, since edge processes on inherited sockets get requests immediately.
  const socket = await listenForEdges(path, platform)
  const pool = startEdgePool({
    size: config.workers,
    fork: () =>
      forkEdge(program, { kind: 'start', settings, platformSocket: path }, log, { inherited: shared }),
    isLeaving,
    now: storage.now,
    log,
  })

  // Commits wait for this: when the API answers, every process has stopped serving what was removed.
  let caughtUp = Promise.resolve()
  storage.changes.subscribe((change) => {
    // Edges look for these once a second, which is soon enough for them.
    if (change?.kind !== 'account' && change?.kind !== 'access') caughtUp = pool.catchUp()
  })
  storage.database.afterCommit(() => caughtUp)
  await pool.started

  new Gauge({
    name: 'masthead_edge_processes',
    help: 'Edge processes that are serving',
    registers: [metrics.own],
    collect() {
      this.set(pool.serving())
    },
  })
  new Gauge({
    name: 'masthead_edge_processes_configured',
    help: 'Edge processes that should be serving (MASTHEAD_WORKERS)',
    registers: [metrics.own],
  }).set(config.workers)
  new Counter({
    name: 'masthead_edge_process_restarts_total',
    help: 'Edge processes that ended and were or will be restarted',
    registers: [metrics.own],
    collect() {
      this.reset()
      this.inc(pool.exits())
    },
  })
  const answered = new Gauge({
    name: 'masthead_edge_processes_answered',
    help: 'Edge processes whose metrics are included here',
    registers: [metrics.own],
  })
  metrics.addEdges(async () => {
    const found = await pool.metrics()
    answered.set(found.size)
    return found
  })
  return {
    sockets: () => (shared.length > 0 ? shared : pool.sockets()),
    async close(graceMs: number, idleMs?: number): Promise<void> {
      for (const { handle } of shared) handle.close()
      await pool.stop(graceMs, idleMs)
      await socket.close()
    },
  }
}
