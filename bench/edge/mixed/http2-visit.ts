import type { Socket } from 'node:net'
import { flags, frameTypes } from '@masthead/server/src/edge/http2/frames/protocol.ts'
import { frame, openingWith, windowUpdate } from '../http2-frames.ts'
import { HpackWriter, literal } from './hpack-writer.ts'
import type { FileKind } from './sites.ts'
import type { ExpectedFile, MixedRequest, Visitor } from './visitor.ts'

const streamsAtOnce = 10
/** Chromium's windows: more than the largest file, so that only the connection's ever needs more. */
const [streamWindow, connectionWindow] = [6_291_456, 15_728_640]
const opening = openingWith({ streamWindow, connectionWindow, headerTableSize: 65_536 })
/** All servers write these two as one byte. */
const statuses = new Map([
  [0x88, 200],
  [0x8b, 304],
])

/** Stream 0, exclusive, and a weight. */
const priorityFields = Buffer.from([128, 0, 0, 0, 219])

interface OpenStream extends MixedRequest {
  status: number
  bytes: number
}

/** What is the same in all requests of one kind, before and after the path. */
interface FixedParts {
  changes: number
  before: Buffer
  after: Buffer
}

/** One for all connections: each path is written the same way everywhere. */
const literals = new Map<ExpectedFile, { path: Buffer; etag: Buffer }>()

function literalsOf(file: ExpectedFile) {
  let known = literals.get(file)
  if (known === undefined) {
    known = { path: literal(':path', file.path), etag: literal('if-none-match', file.etag) }
    literals.set(file, known)
  }
  return known
}

/** Visits over HTTP/2, ten requests at once. What one read has answered is asked again in one write. */
export function visitOverHttp2(socket: Socket, visitor: Visitor): void {
  const hpack = new HpackWriter()
  const fixed = new Map<FileKind, FixedParts>()
  const open = new Map<number, OpenStream>()
  const out: Buffer[] = [opening]
  let nextStream = 1
  let unacknowledged = 0
  let rest: Buffer = Buffer.alloc(0)
  /** The DATA frame being read. */
  let data = { stream: 0, left: 0, isLast: false }
  visitor.send = () => {
    for (let stream = 0; stream < streamsAtOnce; stream++) ask()
    flush()
  }
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    rest = bytes.subarray(read(bytes))
    flush()
  })

  function flush(): void {
    if (unacknowledged > connectionWindow / 2) {
      out.push(windowUpdate(0, unacknowledged))
      unacknowledged = 0
    }
    if (out.length > 0) socket.write(Buffer.concat(out))
    out.length = 0
  }

  function ask(): void {
    const request = visitor.next()
    if (request === null) return
    const { file, isConditional } = request
    const { before, after } = fixedPartsFor(file.kind)
    const { path, etag } = literalsOf(file)
    const { sendsPriority } = visitor.browser
    const payload = [before, path, after]
    if (sendsPriority) payload.unshift(priorityFields)
    if (isConditional) payload.push(etag)
    const flag = flags.endStream | flags.endHeaders | (sendsPriority ? flags.priority : 0)
    out.push(frame(frameTypes.headers, flag, nextStream, Buffer.concat(payload)))
    open.set(nextStream, { ...request, status: 0, bytes: 0 })
    nextStream += 2
  }

  function fixedPartsFor(kind: FileKind): FixedParts {
    const known = fixed.get(kind)
    if (known !== undefined && known.changes === hpack.changes) return known
    const changesBefore = hpack.changes
    const before = hpack.write([
      [':method', 'GET'],
      [':authority', visitor.host],
      [':scheme', 'https'],
    ])
    const after = hpack.write(visitor.headersFor(kind, 'https'))
    const parts = { changes: changesBefore, before, after }
    fixed.set(kind, parts)
    return parts
  }

  /** Returns how many bytes are done with. */
  function read(bytes: Buffer): number {
    let at = 0
    while (at < bytes.length) {
      if (data.left > 0) {
        const taken = Math.min(data.left, bytes.length - at)
        at += taken
        data.left -= taken
        streamOf(data.stream).bytes += taken
        if (data.left === 0 && data.isLast) finish(data.stream)
        continue
      }
      if (bytes.length - at < 9) break
      const length = bytes.readUIntBE(at, 3)
      const [type, flag] = [bytes.readUInt8(at + 3), bytes.readUInt8(at + 4)]
      const stream = bytes.readUInt32BE(at + 5)
      if (type === frameTypes.data) {
        if (flag & flags.padded) throw new Error('Padded data')
        data = { stream, left: length, isLast: (flag & flags.endStream) !== 0 }
        unacknowledged += length
        at += 9
        if (length === 0 && data.isLast) finish(stream)
        continue
      }
      if (bytes.length - at < 9 + length) break
      readFrame(type, flag, stream, bytes.subarray(at + 9, at + 9 + length))
      at += 9 + length
    }
    return at
  }

  function readFrame(type: number, flag: number, stream: number, payload: Buffer): void {
    if (type === frameTypes.headers) {
      streamOf(stream).status = statusOf(payload)
      if (flag & flags.endStream) finish(stream)
    } else if (type === frameTypes.settings && !(flag & flags.ack)) {
      out.push(frame(frameTypes.settings, flags.ack, 0, Buffer.alloc(0)))
    } else if (type === frameTypes.ping && !(flag & flags.ack)) {
      out.push(frame(frameTypes.ping, flags.ack, 0, payload))
    } else if (type === frameTypes.rstStream || type === frameTypes.goAway) {
      throw new Error(
        `The server ended ${stream === 0 ? 'the connection' : 'a stream'}: ${payload.toString('hex')}`,
      )
    }
  }

  function streamOf(stream: number): OpenStream {
    const known = open.get(stream)
    if (known === undefined) throw new Error(`An answer on stream ${stream}, which is not open`)
    return known
  }

  function finish(stream: number): void {
    const known = streamOf(stream)
    open.delete(stream)
    ask()
    visitor.answered(known, known.status, known.bytes)
  }
}

/** The first field, after changes of the table's size. */
function statusOf(block: Buffer): number {
  let at = 0
  while (((block[at] ?? 0) & 0xe0) === 0x20) {
    if (((block[at++] ?? 0) & 0x1f) === 0x1f) while ((block[at++] ?? 0) & 128);
  }
  return statuses.get(block[at] ?? 0) ?? 0
}
