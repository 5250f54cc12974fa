import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { handleOf, type ListeningHandle, type ListeningSocket } from '../kernel/sockets/listening-socket.ts'
import {
  type ActivityMonitor,
  defaultListenerLimits,
  type ListenerLimits,
  monitorBytes,
  type TrackedConnections,
  trackConnections,
} from './accept/connection-limits.ts'
import { noProxies, type ProxyFields } from './accept/forwarded.ts'
import { createHttp1Connections } from './http1/connections.ts'
import type { Http1Parts } from './http1/context.ts'
import { createHttp1Server } from './node-http/http1-server.ts'
import type { ReadInTurn } from './node-http/platform-queue.ts'
import { createRefusal, type Refuser } from './node-http/refuse-unreadable.ts'
import { servernameOf } from './sites/host.ts'
import type { OpenSocket } from './sockets/site-socket.ts'

export interface ListenerOptions {
  host: string
  port: number
  /** Whether other processes listen on the same port. */
  reusePort?: boolean
  /** Sockets that already listen at this address, from another process. Then none is opened. */
  inherited?: readonly ListeningHandle[]
  /** For connections that node:http reads. */
  handle: (req: IncomingMessage, res: ServerResponse) => void
  /** When to read what has arrived on them. If omitted, it is read immediately. */
  readInTurn?: ReadInTurn
  /** Reads all other connections. If omitted, node:http reads all of them. */
  sites?: SitesOnListener
  /** Answers malformed requests that are not for a site. If omitted, all of them get plain text. */
  refuser?: Refuser
  /** What happens before the first byte of HTTP. */
  handshake?: HandshakeStage
  /** A proxy speaks for many clients, so it has no share of its own. */
  proxies?: ProxyFields
  limits?: Partial<ListenerLimits>
}

export interface SitesOnListener extends Pick<Http1Parts, 'answers' | 'isSite' | 'log'> {
  openSocket: OpenSocket
  /** Whether TLS connections for this name carry requests for the dashboard and the API. */
  isPlatformName(servername: string): boolean
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
  /** Hands over a connection that speaks HTTP/1.1 from here on. */
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
  /** For a process that replaces this one. */
  sockets(): ListeningSocket[]
  /**
   * Accepts nothing new, lets running requests finish for `graceMs`, then closes what is left. Idle connections get
   * `idleMs` for a request that is already on its way.
   */
  close(graceMs: number, idleMs?: number): Promise<void>
}

/** How long idle connections stay open once the listener closes. */
const defaultIdleMs = 500

export async function createListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, reusePort = false, sites, handshake, proxies = noProxies } = options
  const { idleTimeout, maxConnections, ...httpLimits } = { ...defaultListenerLimits, ...options.limits }
  const refusal = createRefusal(options.refuser)
  const handle = refusal.requireOneHost(options.handle)
  const connectionsCheckingInterval = httpLimits.headersTimeout * checkIntervalFraction
  const http = createHttp1Server(
    { ...httpLimits, connectionsCheckingInterval, ...leanRequestOptions, ...hostCheckOptions },
    handle,
    options.readInTurn,
  )
  const { server } = http
  const http1 =
    sites === undefined
      ? null
      : createHttp1Connections({ ...sites, limits: httpLimits, proxies, toPlatform: http.accept })
  const connections = trackConnections(server, { idleTimeout, maxConnections }, proxies.isProxy)
  server.on('connection', (socket) => {
    if (!connections.admit(socket)) return
    const next: NextStage = {
      toHttp1: (secured) => connections.watch(socket, acceptHttp1(secured)),
      watch: (monitor) => connections.watch(socket, monitor),
    }
    if (handshake === undefined) next.toHttp1(socket)
    else handshake.accept(socket, next)
  })

  /** A TLS connection belongs to the platform or to sites by its name, a plain one by its first request. */
  function acceptHttp1(socket: Socket): ActivityMonitor {
    const servername = servernameOf(socket)
    const opened = sites?.openSocket(socket)
    const isPlatform = servername !== null && sites?.isPlatformName(servername) === true
    if (http1 !== null && opened !== undefined && !isPlatform) return http1.accept(opened, servername)
    http.accept(opened?.handOver() ?? socket)
    return monitorBytes(socket)
  }

  server.on('clientError', refusal.refuse)

  const [first, ...rest] = options.inherited ?? []
  await listening(server, first ?? { host, port, reusePort })
  const others = await Promise.all(rest.map((handle) => acceptFor(server, handle)))
  return {
    address: server.address() as AddressInfo,
    connections: connections.count,
    refused: connections.refused,
    sockets: () =>
      [server, ...others].flatMap((each) => {
        const handle = handleOf(each)
        return handle === null ? [] : [{ host, port, handle }]
      }),
    async close(graceMs, idleMs = defaultIdleMs) {
      const parts = { stages: [handshake, http1, http], connections }
      const stopListening = () => http.stopListening(others)
      await closeGracefully(stopListening, parts, graceMs, Math.min(idleMs, graceMs / 2))
    },
  }
}

function listening(server: Server, where: object): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** As node:http sets them. */
const connectionOptions = { allowHalfOpen: true, noDelay: true }

/** Accepts on one more socket what `server` then handles. */
async function acceptFor(server: Server, handle: ListeningHandle): Promise<Server> {
  const other = createServer(connectionOptions, (socket) => server.emit('connection', socket))
  await listening(other, handle)
  return other
}

async function closeGracefully(
  stopListening: () => Promise<unknown>,
  { stages, connections }: { stages: (Stage | null | undefined)[]; connections: TrackedConnections },
  graceMs: number,
  idleMs: number,
): Promise<void> {
  const closeAll = () => {
    for (const stage of stages) stage?.close()
  }
  // After a pause of the process, timers run before what has arrived meanwhile is read.
  const timers = [
    setTimeout(() => setImmediate(closeAll), idleMs),
    setTimeout(() => connections.destroyAll(), graceMs),
  ]
  for (const stage of stages) stage?.drain()
  await stopListening()
  for (const timer of timers) clearTimeout(timer)
}
