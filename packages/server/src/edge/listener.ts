import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import {
  byBytes,
  type ConnectionLimits,
  type Connections,
  followConnections,
  type Watched,
} from './connections.ts'
import { createFastLane, type FastLaneParts } from './fast-lane.ts'
import { createNodeHttp, type NodeHttp } from './node-http.ts'
import { createRefusal, type Refuser } from './refuse-unreadable.ts'

export interface ListenerOptions {
  host: string
  port: number
  /** Whether other processes listen on the same port, by the same wish. */
  reusePort?: boolean
  handle: (req: IncomingMessage, res: ServerResponse) => void
  /** With it, requests whose answer is at hand do not go through node:http at all. */
  answerFromMemory?: FastLaneParts['answer']
  /** Who answers what cannot be read and is for no site. Left out: all of it is answered in plain text. */
  refuser?: Refuser
  /** What comes before the first byte of HTTP. */
  approach?: Approach
  /** Whether an address stands for many callers, and has no share of connections but all of them. */
  isProxy?: (address: string) => boolean
  limits?: Partial<ListenerLimits>
}

interface Stage {
  /** Answers what it is asked from now on as the last request of its connection. */
  drain(): void
  /** Ends the connections that nothing runs on, and each other one after what runs. */
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

/** Node would answer without a body; `oneHost` of the refusal looks instead. */
const hostsAreCounted = { requireHostHeader: false }

export interface Listener {
  readonly address: AddressInfo
  connections(): number
  /** How many connections found no room. */
  refused(): number
  /**
   * Accepts nothing new and lets running requests finish for `graceMs`, then cuts off what is left. Idle connections
   * are left a moment for a request that is on its way.
   */
  close(graceMs: number): Promise<void>
}

/** How long a connection without a request is left open once the listener closes. */
const idleOnClose = 500

export async function createListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, reusePort = false, answerFromMemory, approach, isProxy = () => false } = options
  const { idleTimeout, maxConnections, ...httpLimits } = { ...defaultListenerLimits, ...options.limits }
  const refusal = createRefusal(options.refuser)
  const handle = refusal.oneHost(options.handle)
  const connectionsCheckingInterval = httpLimits.headersTimeout * lookedAt
  const http = createNodeHttp(
    { ...httpLimits, connectionsCheckingInterval, ...lessPerRequest, ...hostsAreCounted },
    handle,
  )
  const { server } = http
  const lane =
    answerFromMemory === undefined ? null : createFastLane({ answer: answerFromMemory, handOver: http.take })
  const toLane = lane === null ? http.take : lane.enter
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
  // Whoever answers decides whether the body is worth sending, and whether other expectations can be met.
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
  server.on('clientError', refusal.refuse)

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
    close: (graceMs) => closeGracefully(http, { stages: [approach, lane, http], connections }, graceMs),
  }
}

async function closeGracefully(
  http: NodeHttp,
  { stages, connections }: { stages: (Stage | null | undefined)[]; connections: Connections },
  graceMs: number,
): Promise<void> {
  const closeAll = () => {
    for (const stage of stages) stage?.close()
  }
  const timers = [
    setTimeout(closeAll, Math.min(idleOnClose, graceMs / 2)),
    setTimeout(() => connections.cut(), graceMs),
  ]
  for (const stage of stages) stage?.drain()
  await http.stopListening()
  for (const timer of timers) clearTimeout(timer)
}
