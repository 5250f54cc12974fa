import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import {
  type ActivityMonitor,
  defaultListenerLimits,
  type ListenerLimits,
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
  /** Whether other processes listen on the same port. */
  reusePort?: boolean
  handle: (req: IncomingMessage, res: ServerResponse) => void
  /** Answers from memory bypass node:http. */
  answerFromMemory?: FastPathParts['answer']
  /** Answers malformed requests that are not for a site. If omitted, all of them get plain text. */
  refuser?: Refuser
  /** What happens before the first byte of HTTP. */
  handshake?: HandshakeStage
  /** A proxy speaks for many clients, so it has no share of its own. */
  isProxy?: (address: string) => boolean
  limits?: Partial<ListenerLimits>
}

interface Stage {
  /** From now on, answers each request as the last one of its connection. */
  drain(): void
  /** Ends idle connections now and all others after their last answer. */
  close(): void
}

export interface HandshakeStage extends Stage {
  accept(socket: Socket, next: NextStage): void
}

export interface NextStage {
  /** Hands over a connection that speaks HTTP/1.1. */
  toHttp1(secured: Socket): void
  /** Monitors a connection that is handled elsewhere, and ends it when it is idle. */
  watch(monitor: ActivityMonitor): void
}

/** Node checks for slow requests at intervals, so a timeout may come later by this fraction. */
const checkIntervalFraction = 1 / 4

/**
 * Together worth a tenth more requests per second. A request without a body has no stream (so it cannot be piped), and
 * no connection has a keep-alive timer: `idleTimeout` covers it all.
 */
const leanRequestOptions = { optimizeEmptyRequests: true, keepAliveTimeout: 0 }

/** Node would answer without a body; `requireOneHost` checks instead. */
const hostCheckOptions = { requireHostHeader: false }

export interface Listener {
  readonly address: AddressInfo
  connections(): number
  /** Connections that were closed because there was no slot for them. */
  refused(): number
  /**
   * Accepts nothing new, lets running requests finish for `graceMs`, then closes what is left. Idle connections get a
   * moment for a request that is already on its way.
   */
  close(graceMs: number): Promise<void>
}

/** How long idle connections stay open once the listener closes. */
const idleGraceMs = 500

export async function createListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, reusePort = false, answerFromMemory, handshake, isProxy = () => false } = options
  const { idleTimeout, maxConnections, ...httpLimits } = { ...defaultListenerLimits, ...options.limits }
  const refusal = createRefusal(options.refuser)
  const handle = refusal.requireOneHost(options.handle)
  const connectionsCheckingInterval = httpLimits.headersTimeout * checkIntervalFraction
  const http = createHttp1Server(
    { ...httpLimits, connectionsCheckingInterval, ...leanRequestOptions, ...hostCheckOptions },
    handle,
  )
  const { server } = http
  const fastPath =
    answerFromMemory === undefined
      ? null
      : createFastPath({ answer: answerFromMemory, handOver: http.accept })
  const acceptHttp1 = fastPath === null ? http.accept : fastPath.accept
  const connections = trackConnections(server, { idleTimeout, maxConnections }, isProxy)
  server.on('connection', (socket) => {
    if (!connections.admit(socket)) return
    const next: NextStage = {
      toHttp1(secured) {
        connections.watch(socket, monitorBytes(secured))
        acceptHttp1(secured)
      },
      watch: (monitor) => connections.watch(socket, monitor),
    }
    if (handshake === undefined) next.toHttp1(socket)
    else handshake.accept(socket, next)
  })
  // The handler decides whether to ask for the body, and whether it can meet other expectations.
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
    close: (graceMs) => closeGracefully(http, { stages: [handshake, fastPath, http], connections }, graceMs),
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
    setTimeout(() => connections.destroyAll(), graceMs),
  ]
  for (const stage of stages) stage?.drain()
  await http.stopListening()
  for (const timer of timers) clearTimeout(timer)
}
