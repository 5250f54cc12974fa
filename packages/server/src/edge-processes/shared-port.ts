import { once } from 'node:events'
import { createServer, type ListenOptions } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartFault } from '../start-fault.ts'

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
    throw new StartFault('MASTHEAD_WORKERS: processes cannot share a port on this system; give 1.')
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
