import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { type DnsServer, frame } from '../dns/transport.ts'
import { second } from '../kernel/clock.ts'
import { longestQuery, readQuery } from './query.ts'
import { datagramReply, streamReply } from './reply.ts'
import { answerDatagrams, splitFrames } from './transport.ts'
import type { ZoneAnswer, ZoneQuestion } from './zone.ts'

export interface RunningDnsServer {
  address: DnsServer
  close(): Promise<void>
}

export interface DnsServerOptions {
  /** 0 for any port that is free for both UDP and TCP. */
  port: number
  answer: (question: ZoneQuestion) => Promise<ZoneAnswer>
  log: { warn(details: object, message: string): void }
}

/** Only this machine can connect. */
const host = '127.0.0.1'
const maxConnections = 50
const longestIdle = 5 * second
/** Also ends connections that are kept busy by a byte now and then. */
const longestConnection = 30 * second

/** A nameserver on the loopback interface, for UDP and TCP. */
export async function startDnsServer({ port, answer, log }: DnsServerOptions): Promise<RunningDnsServer> {
  const { tcp, udp } = await bind(port)
  const connections = new Set<Socket>()

  /** Null if the message gets no reply. */
  async function replyTo(message: Buffer, write: typeof streamReply): Promise<Buffer | null> {
    const query = readQuery(message)
    if (query === null) return null
    if (query.isMeta) return write(query, { rcode: 'NOTIMP' })
    if (!query.isInternet) return write(query, { rcode: 'REFUSED' })
    try {
      return write(query, await answer(query))
    } catch (error) {
      log.warn({ err: error }, "the lab's DNS could not answer a query")
      return write(query, { rcode: 'SERVFAIL' })
    }
  }

  const datagrams = answerDatagrams(udp, { replyTo: (message) => replyTo(message, datagramReply), log })

  async function* replies(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const message of splitFrames(source, longestQuery)) {
      const reply = await replyTo(message, streamReply)
      if (reply === null) return
      yield frame(reply)
    }
  }

  tcp.maxConnections = maxConnections
  tcp.on('error', (error) => log.warn({ err: error }, "a connection to the lab's DNS failed"))
  tcp.on('connection', (socket) => {
    connections.add(socket)
    const overdue = setTimeout(() => socket.destroy(), longestConnection)
    socket.setTimeout(longestIdle, () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(overdue)
      connections.delete(socket)
    })
    // Clients may disconnect at any time.
    socket.on('error', () => {})
    pipeline(socket, replies, socket).catch(() => socket.destroy())
  })

  return {
    address: { address: host, port: udp.address().port },
    async close() {
      datagrams.close()
      const closed = once(tcp, 'close')
      tcp.close()
      for (const socket of connections) socket.destroy()
      await closed
    },
  }
}

/** Binds both to the same port. */
async function bind(port: number): Promise<{ tcp: Server; udp: UdpSocket }> {
  for (let attempt = 1; ; attempt++) {
    const tcp = createServer({ allowHalfOpen: true })
    const udp = createSocket('udp4')
    try {
      await once(tcp.listen(port, host), 'listening')
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
