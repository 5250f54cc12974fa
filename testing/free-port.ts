import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
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

/** A port that nobody listened on a moment ago, neither by UDP nor by TCP, on any of the addresses. */
export async function freeDnsPort(...addresses: string[]): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = await freePort()
    const free = await Promise.all(addresses.map((address) => isFree(address, port)))
    if (!free.includes(false)) return port
  }
  throw new Error(`No port is free on all of ${addresses.join(', ')}`)
}

async function isFree(address: string, port: number): Promise<boolean> {
  const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  const tcp = createServer()
  try {
    udp.bind(port, address)
    await once(udp, 'listening')
    tcp.listen(port, address)
    await once(tcp, 'listening')
    return true
  } catch {
    return false
  } finally {
    udp.close()
    if (tcp.listening) await new Promise((closed) => tcp.close(closed))
  }
}
