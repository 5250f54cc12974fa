import { createAddresses } from './addresses.ts'
import { proxiesIn } from './edge/proxies.ts'
import type { FromEdge, StartOrder, ToEdge } from './edge-processes/messages.ts'
import { createPassOn } from './edge-processes/pass-on.ts'
import { createLog } from './log.ts'
import { openKeys } from './open-certificates.ts'
import { openFilesLimit, shareDescriptors } from './open-files.ts'
import { openStorage } from './open-storage.ts'
import { serveSites } from './serve-sites.ts'
import { Shutdown } from './shutdown.ts'
import { collectLessOften } from './tune-garbage-collector.ts'

/** One of several edges, as `MASTHEAD_WORKERS` asks for them. It is told what to do by the process that forked it. */
async function start({ settings, platformSocket }: StartOrder, shutdown: Shutdown) {
  collectLessOften()
  const log = createLog(settings.logLevel)
  const storage = await openStorage(settings, log)
  shutdown.mayServe(settings.stopGrace)
  const front = await serveSites({
    storage,
    sealing: await openKeys(storage, settings),
    config: settings,
    addresses: createAddresses(settings),
    platform: createPassOn({
      platformSocket,
      mostAtOnce: shareDescriptors(openFilesLimit(), settings.workers).passedOn,
      isProxy: proxiesIn(settings.trustedProxies),
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
