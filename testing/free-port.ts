import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections: one of those could take it before it is listened on. */
const lowest = 12_000
const highest = 32_000

/** A loopback port that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(lowest, highest)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      server.close()
      await once(server, 'close')
      return port
    } catch {
      // Taken; the next one may not be.
    }
  }
  throw new Error('No port is free')
}
