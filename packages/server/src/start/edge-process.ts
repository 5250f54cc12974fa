import { createAddresses } from '../config/addresses.ts'
import { proxyMatcher } from '../edge/accept/trusted-proxies.ts'
import { createForwarder } from '../edge-processes/forward-to-main.ts'
import type { FromEdge, StartOrder, ToEdge } from '../edge-processes/messages.ts'
import { Shutdown } from '../kernel/process-lifetime.ts'
import { openFilesLimit, shareDescriptors } from './file-descriptors.ts'
import { openSealingKeys } from './open-certificates.ts'
import { openStorage } from './open-storage.ts'
import { createLog } from './output.ts'
import { serveSites } from './serve-sites.ts'
import { collectLessOften } from './tune-garbage-collector.ts'

/** One of several edges, as `MASTHEAD_WORKERS` asks for them. It is told what to do by the process that forked it. */
async function start({ settings, platformSocket }: StartOrder, shutdown: Shutdown) {
  collectLessOften()
  const log = createLog(settings.logLevel)
  const storage = await openStorage(settings, log)
  shutdown.mayServe(settings.stopGrace)
  const front = await serveSites({
    storage,
    sealing: await openSealingKeys(storage, settings),
    config: settings,
    addresses: createAddresses(settings),
    platform: createForwarder({
      platformSocket,
      mostAtOnce: shareDescriptors(openFilesLimit(), settings.workers).passedOn,
      isProxy: proxyMatcher(settings.trustedProxies),
      log,
    }),
    sharesPorts: true,
    log,
  })
  return {
    catchUp: () =>
      storage.changes.catchUp().catch((error: unknown) => {
        log.warn({ err: error }, 'could not read the change feed')
      }),
    async stop(graceMs: number) {
      await front.close(graceMs)
      await storage.close()
    },
  }
}

/** It did not start, which is told where it was begun. */
function noAnswer(): void {}

function tell(message: FromEdge): void {
  process.send?.(message, undefined, undefined, () => {})
}

if (process.send === undefined) {
  process.stderr.write('This is a part of Masthead that its main process starts. Start main.ts.\n')
  process.exit(1)
}
// Whoever forked it is gone, and so must be who listens on its ports.
process.once('disconnect', () => process.exit(1))

const shutdown = new Shutdown()
shutdown.onSignals()
try {
  const order = Promise.withResolvers<StartOrder>()
  const started = order.promise.then((given) => start(given, shutdown))
  process.on('message', (message: ToEdge) => {
    if (message.kind === 'start') order.resolve(message)
    if (message.kind === 'stop') shutdown.request(message.graceMs)
    if (message.kind === 'catch-up') {
      started.then((edge) => edge.catchUp()).then(() => tell({ kind: 'caught-up' }), noAnswer)
    }
  })
  const edge = await started
  shutdown.hasStarted(edge.stop)
  tell({ kind: 'serving' })
} catch (error) {
  if (!shutdown.isRequested) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  }
  shutdown.hasNotStarted()
}
