import { once } from 'node:events'
import { createAddresses } from './addresses.ts'
import type { FromEdge, StartOrder, ToEdge } from './edge-processes/messages.ts'
import { createPassOn } from './edge-processes/pass-on.ts'
import { createLog } from './log.ts'
import { openKeys } from './open-certificates.ts'
import { openStorage } from './open-storage.ts'
import { serveSites } from './serve-sites.ts'

const graceOnSignal = 10_000

/** One of several edges, as `MASTHEAD_WORKERS` asks for them. It is told what to do by the process that forked it. */
async function start({ settings, platformSocket }: StartOrder) {
  const log = createLog(settings.logLevel)
  const storage = await openStorage(settings, log)
  const front = await serveSites({
    storage,
    sealing: await openKeys(storage, settings),
    config: settings,
    addresses: createAddresses(settings),
    platform: createPassOn({ platformSocket, log }),
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

function tell(message: FromEdge): void {
  process.send?.(message, undefined, undefined, () => {})
}

if (process.send === undefined) {
  process.stderr.write('This is a part of Masthead that its main process starts. Start main.ts.\n')
  process.exit(1)
}
// Whoever forked it is gone, and so must be who listens on its ports.
process.once('disconnect', () => process.exit(1))

try {
  const [order] = (await once(process, 'message')) as [StartOrder]
  const edge = await start(order)
  let isStopping = false
  const end = (graceMs: number) => {
    if (isStopping) return
    isStopping = true
    edge.stop(graceMs).then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('message', (message: ToEdge) => {
    if (message.kind === 'catch-up') void edge.catchUp().then(() => tell({ kind: 'caught-up' }))
    if (message.kind === 'stop') end(message.graceMs)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end(graceOnSignal))
  tell({ kind: 'serving' })
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exit(1)
}
