import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Answer, type DecodedPacket, decode, encode, type Packet, TRUNCATED_RESPONSE } from 'dns-packet'
import type { DnsServer } from './transport.ts'

export interface UdpQuery {
  packet: DecodedPacket
  from: RemoteInfo
  reply(message: Buffer): void
}

export interface Answerer extends DnsServer, AsyncDisposable {
  /** The number of UDP queries so far. */
  readonly asked: number
}

/** A real DNS server on the loopback interface whose replies the test controls byte by byte. No TCP without `onTcp`. */
export async function startAnswerer(
  onUdp: (query: UdpQuery) => void,
  onTcp?: (query: DecodedPacket, socket: Socket) => void,
): Promise<Answerer> {
  const udp = createSocket('udp4')
  let asked = 0
  udp.on('message', (message, from) => {
    asked++
    onUdp({ packet: decode(message), from, reply: (answer) => udp.send(answer, from.port, from.address) })
  })
  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', (data) => onTcp?.(decode(Buffer.from(data).subarray(2)), socket))
  }).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  if (onTcp === undefined) tcp.close()
  return {
    address: '127.0.0.1',
    port,
    get asked() {
      return asked
    },
    async [Symbol.asyncDispose]() {
      udp.close()
      for (const socket of sockets) socket.destroy()
      if (tcp.listening) await new Promise((closed) => tcp.close(closed))
    },
  }
}

/** The bytes of a well-formed answer; `more` replaces any part of it. */
export function answerBytes(query: Packet, answers: Answer[] = [], more: Packet = {}): Buffer {
  return encode({ type: 'response', id: query.id, questions: query.questions, answers, ...more })
}

export function truncatedBytes(query: Packet): Buffer {
  return answerBytes(query, [], { flags: TRUNCATED_RESPONSE })
}

export function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
