import { once } from 'node:events'
import { connect as connectPlainly } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { flags, frameTypes } from '@masthead/server/src/edge/http2/frames/protocol.ts'
import { frame, openingWith } from '../http2-frames.ts'
import { HpackWriter, literal } from '../mixed/hpack-writer.ts'

export interface HeldConnections extends Disposable {
  sockets: readonly TLSSocket[]
}

export interface HeldOptions {
  port: number
  host: string
  rootPem: string
  connections: number
  /** Requests on each connection. */
  streams: number
  path: string
  /** What a server may send of each answer; the client never allows more. */
  streamWindow: number
}

const atOnce = 50
/** From many addresses, since servers give one only so much. */
const addressOf = (n: number) => `127.0.${1 + (n % 200)}.1`

/** Opens HTTP/2 connections, makes requests, reads what comes within the window, and then does nothing any more. */
export async function holdConnections(options: HeldOptions): Promise<HeldConnections> {
  const sockets: TLSSocket[] = []
  const [numbers, sent] = [Array(options.connections).keys(), requests(options)]
  const expected = options.streams * options.streamWindow
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const n of numbers) sockets.push(await open(options, addressOf(n), sent, expected))
    }),
  )
  return {
    sockets,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function requests({ host, path, streams, streamWindow }: HeldOptions): Buffer {
  const connectionWindow = Math.max(1, streams) * (streamWindow + 65_535)
  const hpack = new HpackWriter()
  const parts = [openingWith({ streamWindow, connectionWindow, headerTableSize: 4096 })]
  for (let n = 0; n < streams; n++) {
    const before = hpack.write([
      [':method', 'GET'],
      [':scheme', 'https'],
      [':authority', host],
    ])
    parts.push(
      frame(
        frameTypes.headers,
        flags.endStream | flags.endHeaders,
        n * 2 + 1,
        Buffer.concat([before, literal(':path', path)]),
      ),
    )
  }
  return Buffer.concat(parts)
}

/** Ends when so many bytes have come, of bodies and some of heads; without requests, with the server's settings. */
async function open(
  { port, host, rootPem }: HeldOptions,
  localAddress: string,
  sent: Buffer,
  expected: number,
): Promise<TLSSocket> {
  const socket = connect({
    socket: connectPlainly({ host: '127.0.0.1', port, localAddress }),
    servername: host,
    ca: rootPem,
    ALPNProtocols: ['h2'],
  })
  await once(socket, 'secureConnect')
  const received = Promise.withResolvers<void>()
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes >= expected) received.resolve()
  })
  socket.on('error', received.reject)
  socket.on('close', () =>
    received.reject(new Error(`The server closed a held connection after ${bytes} bytes`)),
  )
  socket.write(sent)
  socket.write(frame(frameTypes.settings, flags.ack, 0))
  await received.promise
  return socket
}
