import { mkdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pino } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { createAddresses } from './addresses.ts'
import { forgetInterruptedRequests } from './api/idempotency.ts'
import { createApi } from './api/server.ts'
import { createFileStore } from './blobs/file-store.ts'
import { systemClock } from './clock.ts'
import { type Config, ConfigError, configWarnings, readConfig } from './config.ts'
import { openDatabase } from './database/database.ts'
import { createHoldBlobs } from './deployments/hold-blobs.ts'
import { readManifest } from './deployments/manifest-document.ts'
import type { DomainContext } from './domains/context.ts'
import { findRoute, findSite } from './domains/read.ts'
import { createEdge } from './edge/edge.ts'
import { createListener } from './edge/listener.ts'
import { siteChangeOf } from './edge/site-change.ts'
import { openChangeFeed } from './events/change-feed.ts'
import { prepareFirstLink, publishFolder } from './first-start.ts'
import { greet } from './greeting.ts'
import { LabPortTaken } from './lab/lab.ts'
import { listenerAddresses } from './listener-addresses.ts'
import { openDns } from './open-dns.ts'
import { openLimiter } from './open-limiter.ts'
import { operatorKeyIn } from './operator-key.ts'
import { startWorker } from './worker.ts'

const graceOnStop = 10_000
const packageFolder = join(import.meta.dirname, '..')
const dashboardFolder = join(packageFolder, '..', 'dashboard', 'dist')
const sampleFolder = join(packageFolder, 'sample', 'hello')

/** Builds everything and passes it in. Resolves to the function that stops it. */
async function start(config: Config): Promise<() => Promise<void>> {
  const log = pino({ level: config.logLevel, redact: ['req.headers.authorization', 'req.headers.cookie'] })
  for (const warning of configWarnings(config)) log.warn(warning)
  await mkdir(config.dataFolder, { recursive: true, mode: 0o700 })
  const now = systemClock
  const database = await openDatabase(
    config.databaseUrl === null
      ? { dialect: 'sqlite', file: join(config.dataFolder, 'masthead.db') }
      : { dialect: 'postgres', url: config.databaseUrl },
    log,
  )
  const blobFolder = join(config.dataFolder, 'blobs')
  const blobs = await createFileStore(blobFolder)
  const changes = await openChangeFeed({ database, now }, log)
  const { dns, lab } = await openDns({ database, now }, config, log)
  const addresses = createAddresses(config)
  const context: DomainContext = {
    database,
    now,
    changes,
    blobs,
    limits: config.uploadLimits,
    spoolFolder: join(blobFolder, 'staging'),
    dns,
    addresses,
    naming: config,
  }
  const holdBlobs = createHoldBlobs(database)
  const operatorKey = config.operatorKey ?? (await operatorKeyIn(config.dataFolder))
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  const limiter = await openLimiter(context, { redisUrl: config.redisUrl, metrics, log })
  if (database.dialect === 'sqlite') await forgetInterruptedRequests(context)

  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  const sample = { folder: sampleFolder, slug: 'hello', name: 'Hello' }
  const firstToken = config.roles.has('api')
    ? await prepareFirstLink(context, (accountId) =>
        publishFolder(context, holdBlobs, { ...sample, accountId }),
      )
    : null
  const api = config.roles.has('api')
    ? await createApi({
        context,
        addresses,
        holdBlobs,
        operatorKey,
        limiter,
        lab,
        config,
        dashboardFolder,
        version,
        metrics,
        log,
      })
    : null
  const platform =
    api === null ? refusePlatform : (req: IncomingMessage, res: ServerResponse) => api.routing(req, res)
  const edge = createEdge({
    platformDomain: config.platformDomain,
    dashboardHost: config.dashboardHost,
    listenerAddresses: listenerAddresses(config.host),
    dashboardUrl: addresses.dashboard,
    originOf: addresses.host,
    sites: {
      find: (target) => findSite(context, target, config.platformDomain),
      manifest: async ({ deploymentId }) => {
        const manifest = await readManifest(blobs, deploymentId)
        if (manifest === null) throw new Error(`The manifest of ${deploymentId} is missing`)
        return manifest
      },
      route: (hostname) => findRoute(context, hostname, config.platformDomain),
    },
    blobs,
    platform,
    log,
  })
  changes.subscribe((change) => edge.changed(siteChangeOf(change)))
  const ways = config.roles.has('edge')
    ? { handle: edge.handle, answerFromMemory: edge.answerFromMemory }
    : { handle: platform }
  const listener = await createListener({ host: config.host, port: config.httpPort, ...ways })
  const worker = config.roles.has('worker') ? startWorker(context, log) : null
  if (config.roles.has('api')) {
    greet({ addresses, lab: lab?.address ?? null, firstToken, sample: addresses.project('hello') })
  }

  return async () => {
    await listener.close(graceOnStop)
    await worker?.stop()
    await api?.close()
    await limiter.close()
    await lab?.close()
    changes.close()
    await database.close()
  }
}

function refusePlatform(_req: IncomingMessage, res: ServerResponse): void {
  res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' })
  res.end('The dashboard and the API run elsewhere.\n')
}

try {
  const stop = await start(readConfig())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
} catch (error) {
  const lines = error instanceof ConfigError ? error.faults : [startFault(error)]
  for (const line of lines) process.stderr.write(`${line}\n`)
  process.exit(1)
}

function startFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `${message}. Stop what uses the port, or set MASTHEAD_HTTP_PORT to another.`
  if (error instanceof LabPortTaken) return message
  return error instanceof Error ? (error.stack ?? message) : String(error)
}
