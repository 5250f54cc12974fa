import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { rangeMatcher } from '../config/address-ranges.ts'
import { createAddresses } from '../config/addresses.ts'
import { openFilesLimit, shareDescriptors } from '../config/file-descriptors.ts'
import { createForwarder } from '../edge-processes/forward-to-main.ts'
import type { FromEdge, StartOrder, ToEdge } from '../edge-processes/messages.ts'
import { Shutdown, type StopTimes } from '../kernel/program/process-lifetime.ts'
import {
  InheritedSockets,
  type ListeningHandle,
  type ListeningSocket,
} from '../kernel/sockets/listening-socket.ts'
import { startErrorText } from './errors/start-error-text.ts'
import { openLog } from './logging/server-log.ts'
import { countResponses } from './metrics/responses.ts'
import { openSealingKeys } from './open-certificates.ts'
import { openStorage } from './open-storage.ts'
import { serveSites } from './serve-sites.ts'
import { collectLessOften } from './tune-garbage-collector.ts'

/** One of the edge processes of `MASTHEAD_WORKERS`, controlled by the main process over IPC. */
async function start(
  { settings, platformSocket }: StartOrder,
  inherited: InheritedSockets,
  shutdown: Shutdown,
) {
  collectLessOften()
  const serverLog = openLog(settings.logLevel)
  const { log } = serverLog
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  serverLog.countLost(metrics)
  const storage = await openStorage(settings, log, { metrics })
  serverLog.watch(storage.database)
  const responses = countResponses(metrics)
  shutdown.mayServe({ drainMs: settings.drainDelay, graceMs: settings.stopGrace })
  const listeners = await serveSites({
    storage,
    sealing: await openSealingKeys(storage, settings),
    config: settings,
    addresses: createAddresses(settings),
    platform: createForwarder({
      platformSocket,
      maxConcurrent: shareDescriptors(openFilesLimit(), settings.workers).forwarded,
      isProxy: rangeMatcher(settings.trustedProxies),
      responses: responses.api,
      log,
    }),
    sharesPorts: true,
    inherited,
    responses: responses.site,
    metrics,
    log,
  })
  return {
    catchUp: () =>
      storage.changes.catchUp().catch((error: unknown) => {
        log.warn({ err: error }, 'could not read the change feed')
      }),
    metrics: () => metrics.getMetricsAsJSON(),
    sockets: () => listeners.sockets(),
    async stop({ drainMs, graceMs, idleMs }: StopTimes) {
      await sleep(drainMs)
      await listeners.close(graceMs, idleMs)
      serverLog.close()
      await storage.close()
    },
  }
}

/** The start failed, which is reported below. */
function ignoreFailedStart(): void {}

function send(message: FromEdge, handle?: ListeningHandle): void {
  process.send?.(message, handle as never, undefined, () => {})
}

async function offer(sockets: ListeningSocket[] | Promise<ListeningSocket[]>): Promise<void> {
  for (const { host, port, handle } of await sockets) send({ kind: 'socket', host, port }, handle)
  send({ kind: 'offered' })
}

if (process.send === undefined) {
  process.stderr.write('The main process of Masthead starts this program. Run npm start instead.\n')
  process.exit(1)
}
// Without the main process nothing may keep listening on its ports.
process.once('disconnect', () => process.exit(1))

const shutdown = new Shutdown()
shutdown.onSignals()
let settings: StartOrder['settings'] | null = null
try {
  const order = Promise.withResolvers<StartOrder>()
  const sockets: ListeningSocket[] = []
  const started = order.promise.then((given) => start(given, new InheritedSockets(sockets), shutdown))
  process.on('message', (message: ToEdge, handle: unknown) => {
    if (message.kind === 'socket') {
      sockets.push({ host: message.host, port: message.port, handle: handle as ListeningHandle })
    }
    if (message.kind === 'offer-sockets') {
      started.then((edge) => offer(edge.sockets())).catch(ignoreFailedStart)
    }
    if (message.kind === 'start') {
      settings = message.settings
      order.resolve(message)
    }
    if (message.kind === 'stop')
      shutdown.request({ drainMs: 0, graceMs: message.graceMs, idleMs: message.idleMs })
    if (message.kind === 'ping') send({ kind: 'pong' })
    if (message.kind === 'catch-up') {
      started.then((edge) => edge.catchUp()).then(() => send({ kind: 'caught-up' }), ignoreFailedStart)
    }
    if (message.kind === 'metrics') {
      started
        .then((edge) => edge.metrics())
        .then((metrics) => send({ kind: 'metrics', metrics }), ignoreFailedStart)
    }
  })
  const edge = await started
  shutdown.hasStarted(edge.stop)
  send({ kind: 'serving' })
} catch (error) {
  if (!shutdown.isRequested) {
    process.stderr.write(`${startErrorText(error, settings)}\n`)
  }
  shutdown.hasNotStarted()
}
