import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { freeDnsPort, freePort, isFree } from '../../free-port.ts'
import { type PebbleSettings, type RunningPebble, startPebble } from './pebble.ts'
import type { PebbleAddress } from './pebble-controls.ts'

/** Where a borrowed Pebble looks at challenges and looks names up. The borrower listens there. */
export interface PebblePorts {
  httpPort: number
  tlsPort: number
  dnsPort: number
}

export interface LentPebble extends PebbleAddress, PebblePorts {
  id: number
  pid: number
}

interface PooledPebble extends PebblePorts {
  id: number
  settings: string
  pebble: RunningPebble
  isLent: boolean
  isRunning: boolean
}

export interface PebblePool {
  url: string
  stop(): Promise<void>
}

/**
 * Lends each Pebble to one test at a time, also of other processes. Starting one takes a second of processor time for
 * its RSA keys, which cannot be given to it.
 */
export async function startPebblePool(): Promise<PebblePool> {
  const pebbles = new Map<number, PooledPebble>()
  let started = 0

  async function lend(given: PebbleSettings): Promise<LentPebble> {
    const settings = JSON.stringify(given)
    for (const one of pebbles.values()) {
      if (one.isLent || one.settings !== settings) continue
      one.isLent = true
      if (await portsAreFree(one)) return describe(one)
      one.isLent = false
    }
    const ports = {
      httpPort: await freePort(),
      tlsPort: await freePort(),
      dnsPort: await freeDnsPort('127.0.0.1'),
    }
    const pebble = await startPebble({ ...given, ...ports, dnsServer: `127.0.0.1:${ports.dnsPort}` })
    const one = { id: ++started, settings, pebble, ...ports, isLent: true, isRunning: true }
    pebbles.set(one.id, one)
    return describe(one)
  }

  async function change(id: number, action: string): Promise<LentPebble> {
    const one = pebbles.get(id)
    if (one === undefined) throw new Error(`No Pebble has the id ${id}`)
    if (action === 'start') await one.pebble.start()
    else if (action === 'stop') await one.pebble.stop()
    else giveBack(one)
    if (action !== 'return') one.isRunning = action === 'start'
    return describe(one)
  }

  function giveBack(one: PooledPebble): void {
    one.isLent = false
    if (one.isRunning) one.pebble.resume()
    else pebbles.delete(one.id)
  }

  const server = createServer(async (request, response) => {
    // A connection that is kept open would keep the process of a test alive.
    response.setHeader('connection', 'close')
    try {
      const [, action = '', id] = request.url?.split('/') ?? []
      const body = (await json(request)) as PebbleSettings
      response.end(JSON.stringify(id === undefined ? await lend(body) : await change(Number(id), action)))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      await Promise.all([...pebbles.values()].map((one) => one.isRunning && one.pebble.stop()))
    },
  }
}

function describe({ id, pebble, httpPort, tlsPort, dnsPort }: PooledPebble): LentPebble {
  const { directoryUrl, managementUrl, rootsFile, rootsPem, logFile } = pebble
  const address = { directoryUrl, managementUrl, rootsFile, rootsPem, logFile }
  return { id, pid: pebble.pid(), ...address, httpPort, tlsPort, dnsPort }
}

/** Not so if a test left a server behind. */
async function portsAreFree({ httpPort, tlsPort, dnsPort }: PebblePorts): Promise<boolean> {
  const free = await Promise.all([httpPort, tlsPort, dnsPort].map((port) => isFree('127.0.0.1', port)))
  return !free.includes(false)
}
