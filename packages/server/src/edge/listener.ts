import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  byBytes,
  type ConnectionLimits,
  type Connections,
  followConnections,
  type Watched,
} from './connections.ts'
import { createFastLane, type FastLaneParts } from './fast-lane.ts'
import { refuseUnreadable } from './refuse-unreadable.ts'

export interface ListenerOptions {
  host: string
  port: number
  /** Whether other processes listen on the same port, by the same wish. */
  reusePort?: boolean
  handle: (req: IncomingMessage, res: ServerResponse) => void
  /** With it, requests whose answer is at hand do not go through node:http at all. */
  answerFromMemory?: FastLaneParts['answer']
  /** What comes before the first byte of HTTP. */
  approach?: Approach
  /** Whether an address stands for many callers, and has no share of connections but all of them. */
  isProxy?: (address: string) => boolean
  limits?: Partial<ListenerLimits>
}

interface Stage {
  /** Ends its connections, or lets them go on. */
  close(): void
}

export interface Approach extends Stage {
  enter(socket: Socket, onward: Onward): void
}

export interface Onward {
  /** Takes a connection back when HTTP/1.1 is to be read from it. */
  toHttp(secured: Socket): void
  /** Sees to the end of one that something else is read from. */
  watch(watched: Watched): void
}

export interface ListenerLimits extends ConnectionLimits {
  /** The whole request head. */
  headersTimeout: number
  /** The whole request: time for 1 GiB at 600 kbit/s. */
  requestTimeout: number
  maxHeaderSize: number
}

export const defaultListenerLimits: ListenerLimits = {
  headersTimeout: 15_000,
  idleTimeout: 120_000,
  requestTimeout: 4 * 60 * 60 * 1000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 20_000,
}

/** Node looks at slow requests by the clock: what takes too long is ended this part of its time later at most. */
const lookedAt = 1 / 4

/**
 * Measured at a tenth more requests a second together. A request without a body gets no stream (so nobody may pipe
 * it on), and none has timers of its own: `idleTimeout` watches the whole life of a connection.
 */
const lessPerRequest = { optimizeEmptyRequests: true, keepAliveTimeout: 0 }

export interface Listener {
  readonly address: AddressInfo
  connections(): number
  /** How many connections found no room. */
  refused(): number
  /** Accepts nothing new, lets running requests finish for `graceMs`, then cuts off what is left. */
  close(graceMs: number): Promise<void>
}

export async function createListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, reusePort = false, handle, answerFromMemory, approach, isProxy = () => false } = options
  const { idleTimeout, maxConnections, ...httpLimits } = { ...defaultListenerLimits, ...options.limits }
  const connectionsCheckingInterval = httpLimits.headersTimeout * lookedAt
  const server = createServer({ ...httpLimits, connectionsCheckingInterval, ...lessPerRequest }, handle)
  const toHttp = takeOver(server)
  const lane =
    answerFromMemory === undefined ? null : createFastLane({ answer: answerFromMemory, handOver: toHttp })
  const toLane = lane === null ? toHttp : lane.enter
  const connections = followConnections(server, { idleTimeout, maxConnections }, isProxy)
  server.on('connection', (socket) => {
    if (!connections.admit(socket)) return
    const onward: Onward = {
      toHttp(secured) {
        connections.watch(socket, byBytes(secured))
        toLane(secured)
      },
      watch: (watched) => connections.watch(socket, watched),
    }
    if (approach === undefined) onward.toHttp(socket)
    else approach.enter(socket, onward)
  })
  server.on('clientError', refuseUnreadable)

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, reusePort }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    address: server.address() as AddressInfo,
    connections: connections.count,
    refused: connections.refused,
    close: (graceMs) => closeGracefully(server, { stages: [approach, lane], connections }, graceMs),
  }
}

/** node:http takes its connections by a listener of its own. It is held back here until one is given to it. */
function takeOver(server: Server): (socket: Duplex) => void {
  const toHttp = server.listeners('connection') as ((socket: Duplex) => void)[]
  server.removeAllListeners('connection')
  return (socket) => {
    for (const take of toHttp) take.call(server, socket)
  }
}

/** A connection becomes idle when its running request ends, which node tells nobody: so look again and again. */
function closeGracefully(
  server: Server,
  { stages, connections }: { stages: (Stage | null | undefined)[]; connections: Connections },
  graceMs: number,
): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => connections.cut(), graceMs)
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep)
      clearTimeout(cut)
      resolve()
    })
    for (const stage of stages) stage?.close()
  })
}
