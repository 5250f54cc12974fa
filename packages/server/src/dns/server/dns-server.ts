import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { second } from '../../kernel/clock.ts'
import { isIPv6 } from '../../kernel/ip-address.ts'
import { type DnsServer, frame } from '../transport.ts'
import { answerDatagrams, splitFrames } from './datagrams.ts'
import { longestQuery } from './query.ts'
import { type Responder, respond } from './respond.ts'

export interface RunningDnsServer {
  address: DnsServer
  close(): Promise<void>
}

export interface DnsServerOptions extends Responder {
  /** The loopback interface by default. */
  host?: string
  /** 0 for any port that is free for both UDP and TCP. */
  port: number
  /** Whether another process may listen there too, such as the one that replaces this one. */
  sharesPort?: boolean
  /** Whether a datagram's sender already gets too many replies. Counts it. */
  isOverLimit?(address: string): boolean
  limits?: Partial<DnsServerLimits>
}

export interface DnsServerLimits {
  connections: number
  connectionsPerAddress: number
  queriesPerConnection: number
  idleMs: number
  /** Also ends connections that are kept busy by a byte now and then. */
  connectionMs: number
}

const defaultLimits: DnsServerLimits = {
  connections: 200,
  connectionsPerAddress: 20,
  queriesPerConnection: 1_000,
  idleMs: 5 * second,
  connectionMs: 30 * second,
}

/** A nameserver for UDP and TCP. */
export async function startDnsServer(options: DnsServerOptions): Promise<RunningDnsServer> {
  const { host = '127.0.0.1', port, sharesPort = false, log, isOverLimit = () => false } = options
  const limits = { ...defaultLimits, ...options.limits }
  const { tcp, udp } = await bind(host, port, sharesPort)
  const connections = new Map<Socket, string>()

  const datagrams = answerDatagrams(udp, {
    replyTo: (message, address) =>
      respond(message, { transport: 'udp', isLimited: isOverLimit(address) }, options),
    log,
  })

  async function* replies(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let left = limits.queriesPerConnection
    for await (const message of splitFrames(source, longestQuery)) {
      const reply = await respond(message, { transport: 'tcp', isLimited: false }, options)
      if (reply === null) return
      yield frame(reply)
      if (--left === 0) return
    }
  }

  /** Over the limit of its address or of all, a connection is closed unread. */
  function admit(socket: Socket): boolean {
    const address = socket.remoteAddress ?? ''
    const own = connections.values().reduce((count, other) => count + (other === address ? 1 : 0), 0)
    if (connections.size >= limits.connections || own >= limits.connectionsPerAddress) return false
    connections.set(socket, address)
    return true
  }

  tcp.on('error', (error) => log.warn({ err: error }, 'the DNS server could not take a connection'))
  tcp.on('connection', (socket) => {
    // Clients may disconnect at any time.
    socket.on('error', () => {})
    if (!admit(socket)) return void socket.destroy()
    const overdue = setTimeout(() => socket.destroy(), limits.connectionMs)
    socket.setTimeout(limits.idleMs, () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(overdue)
      connections.delete(socket)
    })
    pipeline(socket, replies, socket).catch(() => socket.destroy())
  })

  return {
    address: { address: host, port: udp.address().port },
    async close() {
      datagrams.close()
      const closed = once(tcp, 'close')
      tcp.close()
      for (const socket of connections.keys()) socket.destroy()
      await closed
    },
  }
}

/** Binds both to the same port. */
async function bind(
  host: string,
  port: number,
  reusePort: boolean,
): Promise<{ tcp: Server; udp: UdpSocket }> {
  for (let attempt = 1; ; attempt++) {
    const tcp = createServer({ allowHalfOpen: true })
    const udp = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', reusePort })
    try {
      await once(tcp.listen({ port, host, reusePort }), 'listening')
      udp.bind((tcp.address() as AddressInfo).port, host)
      await once(udp, 'listening')
      return { tcp, udp }
    } catch (error) {
      tcp.close()
      udp.close()
      // The UDP port may be in use even if the TCP port is free.
      if (port !== 0 || attempt === 10) throw error
    }
  }
}
