import { once } from 'node:events'
import { connect, type OutgoingHttpHeaders } from 'node:http2'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Frame, frame } from '../frames/frames.test-kit.ts'
import { flags, frameTypes, preface, settingIds } from '../frames/protocol.ts'

/** `skipped` bytes come before the first frame. */
export function readFrames(socket: Socket, skipped: number, onFrame: (one: Frame) => void): void {
  let unread = Buffer.alloc(0)
  let start = skipped
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    while (start + 9 <= unread.length) {
      const end = start + 9 + unread.readUIntBE(start, 3)
      if (end > unread.length) break
      const [type, flags] = [unread.readUInt8(start + 3), unread.readUInt8(start + 4)]
      onFrame({
        type,
        flags,
        stream: unread.readUInt32BE(start + 5),
        payload: unread.subarray(start + 9, end),
      })
      start = end
    }
    unread = unread.subarray(start)
    start = 0
  })
}

/** The header blocks that node's own client (nghttp2) sends for these requests on one connection. */
export async function captureBlocks(
  requests: readonly OutgoingHttpHeaders[],
  tableSize = 4096,
): Promise<Buffer[]> {
  const blocks: Buffer[] = []
  const { promise: complete, resolve } = Promise.withResolvers<void>()
  const settings = Buffer.alloc(6)
  settings.writeUInt16BE(settingIds.headerTableSize)
  settings.writeUInt32BE(tableSize, 2)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(frame({ type: frameTypes.settings, payload: settings }))
    let pieces: Buffer[] = []
    readFrames(socket, preface.length, ({ type, flags: bits, payload }) => {
      if (type !== frameTypes.headers && type !== frameTypes.continuation) return
      pieces.push(payload.subarray(type === frameTypes.headers && (bits & flags.priority) !== 0 ? 5 : 0))
      if ((bits & flags.endHeaders) === 0) return
      blocks.push(Buffer.concat(pieces))
      pieces = []
      if (blocks.length === requests.length) resolve()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  try {
    await once(client, 'remoteSettings')
    for (const headers of requests) client.request(headers, { endStream: true }).on('error', () => {})
    await complete
  } finally {
    client.destroy()
    server.close()
  }
  return blocks
}
