import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import { forkEdge } from './edge-child.ts'
import { startEdgePool } from './edge-pool.ts'
import { edgeSettingsOf } from './messages.ts'
import { listenForEdges, platformSocketPath } from './platform-socket.ts'
import { checkPortCanBeShared } from './shared-port.ts'

export interface ServeByProcessesParts {
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
export async function serveByProcesses(parts: ServeByProcessesParts) {
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
