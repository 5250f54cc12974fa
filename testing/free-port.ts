import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { diskForTests } from './temporary-folder.ts'

/** Below the ports that systems give to outgoing connections: one of those could take it before it is listened on. */
const lowest = 12_000
const highest = 32_000

/** The ports that tests have chosen, each with the process it belongs to. */
export const claimsFolder = join(diskForTests, `masthead-test-ports-${process.getuid?.() ?? 0}`)

const claimed: string[] = []

/** A loopback port that nobody listens on. No other test gets it as long as this process runs: servers are restarted. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(lowest, highest)
    if (!claim(port)) continue
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

function claim(port: number): boolean {
  const file = join(claimsFolder, String(port))
  try {
    mkdirSync(claimsFolder, { recursive: true })
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch {
    releaseIfAbandoned(file)
    return false
  }
  if (claimed.length === 0) process.once('exit', () => claimed.forEach(release))
  claimed.push(file)
  return true
}

/** A process that was killed leaves its claims behind. The port is for the next who draws it. */
export function releaseIfAbandoned(file: string): void {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') release(file)
  }
}

function release(file: string): void {
  try {
    unlinkSync(file)
  } catch {
    // Somebody else was first.
  }
}

/** A port that nobody listens on, neither by UDP nor by TCP, on any of the addresses. */
export async function freeDnsPort(...addresses: string[]): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = await freePort()
    const free = await Promise.all(addresses.map((address) => isFree(address, port)))
    if (!free.includes(false)) return port
  }
  throw new Error(`No port is free on all of ${addresses.join(', ')}`)
}

/** Neither by UDP nor by TCP does anybody listen on it. */
export async function isFree(address: string, port: number): Promise<boolean> {
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
