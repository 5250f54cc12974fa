import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import {
  type ActivityMonitor,
  type ConnectionLimits,
  monitorBytes,
  type TrackedConnections,
  trackConnections,
} from './accept/connection-limits.ts'
import { createFastPath, type FastPathParts } from './fast-path/fast-path.ts'
import { createHttp1Server, type Http1Server } from './node-http/http1-server.ts'
import { createRefusal, type Refuser } from './node-http/refuse-unreadable.ts'

export interface ListenerOptions {
  host: string
  port: number
  /** Whether other processes listen on the same port, by the same wish. */
  reusePort?: boolean
  handle: (req: IncomingMessage, res: ServerResponse) => void
  /** With it, requests whose answer is at hand do not go through node:http at all. */
  answerFromMemory?: FastPathParts['answer']
  /** Who answers what cannot be read and is for no site. Left out: all of it is answered in plain text. */
  refuser?: Refuser
  /** What comes before the first byte of HTTP. */
  approach?: HandshakeStage
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

export interface HandshakeStage extends Stage {
  enter(socket: Socket, onward: NextStage): void
}

export interface NextStage {
  /** Takes a connection back when HTTP/1.1 is to be read from it. */
  toHttp(secured: Socket): void
  /** Sees to the end of one that something else is read from. */
  watch(watched: ActivityMonitor): void
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
const checkIntervalFraction = 1 / 4

/**
 * Measured at a tenth more requests a second together. A request without a body gets no stream (so nobody may pipe
 * it on), and none has timers of its own: `idleTimeout` watches the whole life of a connection.
 */
const leanRequestOptions = { optimizeEmptyRequests: true, keepAliveTimeout: 0 }

/** Node would answer without a body; `oneHost` of the refusal looks instead. */
const hostCheckOptions = { requireHostHeader: false }

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
const idleGraceMs = 500

export async function createListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, reusePort = false, answerFromMemory, approach, isProxy = () => false } = options
  const { idleTimeout, maxConnections, ...httpLimits } = { ...defaultListenerLimits, ...options.limits }
  const refusal = createRefusal(options.refuser)
  const handle = refusal.oneHost(options.handle)
  const connectionsCheckingInterval = httpLimits.headersTimeout * checkIntervalFraction
  const http = createHttp1Server(
    { ...httpLimits, connectionsCheckingInterval, ...leanRequestOptions, ...hostCheckOptions },
    handle,
  )
  const { server } = http
  const lane =
    answerFromMemory === undefined ? null : createFastPath({ answer: answerFromMemory, handOver: http.take })
  const toLane = lane === null ? http.take : lane.enter
  const connections = trackConnections(server, { idleTimeout, maxConnections }, isProxy)
  server.on('connection', (socket) => {
    if (!connections.admit(socket)) return
    const onward: NextStage = {
      toHttp(secured) {
        connections.watch(socket, monitorBytes(secured))
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
  http: Http1Server,
  { stages, connections }: { stages: (Stage | null | undefined)[]; connections: TrackedConnections },
  graceMs: number,
): Promise<void> {
  const closeAll = () => {
    for (const stage of stages) stage?.close()
  }
  const timers = [
    setTimeout(closeAll, Math.min(idleGraceMs, graceMs / 2)),
    setTimeout(() => connections.cut(), graceMs),
  ]
  for (const stage of stages) stage?.drain()
  await http.stopListening()
  for (const timer of timers) clearTimeout(timer)
}
