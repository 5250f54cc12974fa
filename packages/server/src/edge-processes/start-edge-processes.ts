import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer, type ListenOptions } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { Clock } from '../kernel/clock.ts'
import { StartError } from '../kernel/process-lifetime.ts'
import { forkEdge } from './edge-child.ts'
import { startEdgePool } from './edge-pool.ts'
import { edgeSettingsOf } from './messages.ts'
import { listenForEdges, platformSocketPath } from './platform-socket.ts'

/** The processes of a server that was just killed need a moment to go. */
const patience = 3_000
const pause = 100

/**
 * Processes that share a port also share it with a stranger who asks for it in the same way, and nobody is told. So
 * it is taken once for ourselves alone, before it is shared.
 */
export async function checkPortCanBeShared(at: { host: string; port: number }): Promise<void> {
  for (let waited = 0; ; waited += pause) {
    try {
      await listenBriefly(at)
      break
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE') || waited >= patience) throw error
      await sleep(pause)
    }
  }
  try {
    await listenBriefly({ ...at, reusePort: true })
  } catch (error) {
    if (!hasCode(error, 'ENOTSUP')) throw error
    throw new StartError('MASTHEAD_WORKERS: processes cannot share a port on this system; give 1.')
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
  /** The file of the edge process. */
  program: string
  storage: { database: Database; changes: ChangeFeed; now: Clock }
  config: Config
  /** The dashboard and the API. */
  platform: RequestListener
  metrics: Registry
  log: Logger
}

/**
 * The edge as several processes that share the ports. They read for themselves and write nothing; what is for the
 * dashboard's host comes back here, so that the API, the limits and the writer stay one.
 */
export async function startEdgeProcesses(parts: StartEdgeProcessesParts) {
  const { program, storage, config, platform, metrics, log } = parts
  const path = platformSocketPath(config)
  for (const port of [config.httpPort, config.httpsPort]) {
    await checkPortCanBeShared({ host: config.host, port })
  }
  const settings = edgeSettingsOf(config)
  const pool = startEdgePool({
    size: config.workers,
    fork: () => forkEdge(program, { kind: 'start', settings, platformSocket: path }, log),
    now: storage.now,
    log,
  })

  // The feed has read a commit before its listeners hear of it, and they are awaited: when the API answers, every
  // process has stopped serving what was removed.
  let told = Promise.resolve()
  storage.changes.subscribe((change) => {
    // Nothing that an edge serves: nobody has to wait for it.
    if (change?.kind !== 'account') told = pool.catchUp()
  })
  storage.database.afterCommit(() => told)
  await pool.started
  // Only now, so that whoever finds the API ready finds all of it.
  const socket = await listenForEdges(path, platform)

  new Gauge({
    name: 'masthead_edge_processes',
    help: 'Edge processes that serve now',
    registers: [metrics],
    collect() {
      this.set(pool.serving())
    },
  })
  return {
    async close(graceMs: number): Promise<void> {
      await pool.stop(graceMs)
      await socket.close()
    },
  }
}
