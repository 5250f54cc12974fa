import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { until } from '@masthead/testing/until.ts'
import type { ActivityMonitor } from '../accept/connection-limits.ts'
import type { Body } from '../assets/body.ts'
import type { Reply } from '../assets/reply.ts'
import type { EdgeRequest } from '../assets/respond.ts'
import { ResponseCounts } from '../response-counts.ts'
import type { SiteAnswers } from '../site-answers.ts'
import { createOpenSocket } from '../sockets/site-socket.ts'
import { type Frame, frame } from './frames/frames.test-kit.ts'
import { errorCodes, flags, frameTypes, preface } from './frames/protocol.ts'
import { HpackDecoder } from './hpack/decoder.ts'
import { createHttp2Connections } from './http2-connections.ts'
import type { Http2Limits } from './limits.ts'

export type Fields = [name: string, value: string][]

export const getFields: Fields = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/'],
  [':authority', 'site.example'],
]

/** Literals that enter no table, which every decoder understands. */
export function encodeFields(fields: Fields): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]))
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const length = [127]
  let left = bytes.length - 127
  for (; left >= 128; left >>= 7) length.push((left & 127) | 128)
  return Buffer.concat([Buffer.from([...length, left]), bytes])
}

export interface HeadersOptions {
  fields?: Fields
  endStream?: boolean
  endHeaders?: boolean
  moreFlags?: number
}

/** HEADERS of a request, GET of `/` unless told otherwise. */
export function headers(stream: number, options: HeadersOptions = {}): Buffer {
  const { fields = getFields, endStream = true, endHeaders = true, moreFlags = 0 } = options
  const bits = (endStream ? flags.endStream : 0) | (endHeaders ? flags.endHeaders : 0) | moreFlags
  return frame({ type: frameTypes.headers, flags: bits, stream, payload: encodeFields(fields) })
}

export function get(stream: number, path: string, more: Fields = []): Buffer {
  const fields = getFields.map(([name, value]): Fields[number] => [name, name === ':path' ? path : value])
  return headers(stream, { fields: [...fields, ...more] })
}

export function data(stream: number, content: string | Buffer, endStream = false): Buffer {
  const payload = Buffer.from(content)
  return frame({ type: frameTypes.data, flags: endStream ? flags.endStream : 0, stream, payload })
}

export function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}

export const rstStream = (stream: number, code: number = errorCodes.cancel) =>
  frame({ type: frameTypes.rstStream, stream, payload: uint32(code) })

export function settings(...pairs: [id: number, value: number][]): Buffer {
  const payload = Buffer.concat(
    pairs.map(([id, value]) => Buffer.from([id >> 8, id, value >>> 24, value >> 16, value >> 8, value])),
  )
  return frame({ type: frameTypes.settings, payload })
}

export const ping = (text = '01234567') => frame({ type: frameTypes.ping, payload: Buffer.from(text) })

export interface WireOptions {
  /** Replies by path; null is the platform. */
  answer?: (request: EdgeRequest) => Reply | null | Promise<Reply | null>
  openBody?: SiteAnswers['openBody']
  limits?: Partial<Http2Limits>
}

export function reply(content: string | Buffer, status = 200): Reply {
  const bytes = Buffer.from(content)
  return { status, headers: ['Content-Length', String(bytes.length)], body: { kind: 'bytes', bytes } }
}

/** A reply whose bytes come from a file. */
export function fileReply(size: number): Reply {
  const key = { accountId: 'acc_1', sha256: 'a'.repeat(64), encoding: undefined }
  const body = { kind: 'blob', key, id: `file of ${size}`, size, range: null } as const
  return { status: 200, headers: ['Content-Length', String(size)], body }
}

export function memoryBody(bytes: Buffer): Body {
  const read = async (start: number, into: Buffer) => void bytes.copy(into, 0, start)
  return { length: bytes.length, bytes, read, rest() {}, close() {} }
}

/** The connections of sites on a plain port, with answers of the test's own. */
export async function startWire({ answer, openBody, limits }: WireOptions = {}) {
  const logged: unknown[] = []
  const requests: EdgeRequest[] = []
  const monitors = new Set<ActivityMonitor>()
  const connections = createHttp2Connections({
    answers: {
      answer(request) {
        requests.push(request)
        return answer === undefined ? reply(`content of ${request.target}`) : answer(request)
      },
      responses: new ResponseCounts(),
      openBody: openBody ?? ((body) => memoryBody(body.kind === 'bytes' ? body.bytes : Buffer.alloc(0))),
    },
    limits,
    log: { error: (...said: unknown[]) => void logged.push(said) },
  })
  const openSocket = createOpenSocket(true)
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket)
    const monitor = connections.accept(openSocket(socket), 'site.example')
    monitors.add(monitor)
    socket.once('close', () => {
      sockets.delete(socket)
      monitors.delete(monitor)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients = new Set<WireClient>()

  /** A connection on which nothing was said yet. */
  async function dial(): Promise<WireClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const client = new WireClient(socket)
    clients.add(client)
    await once(socket, 'connect')
    return client
  }

  /** A connection whose settings are exchanged. */
  async function connectClient(...pairs: [number, number][]): Promise<WireClient> {
    const client = await dial()
    client.send(preface, settings(...pairs))
    await client.next((one) => one.type === frameTypes.settings && one.flags === flags.ack)
    return client
  }

  async function stop(): Promise<void> {
    for (const { socket } of clients) socket.destroy()
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }

  return {
    port,
    server,
    sockets,
    monitors,
    connections,
    requests,
    logged,
    dial,
    connect: connectClient,
    [Symbol.asyncDispose]: stop,
  }
}

/** A client that says what it is told to, byte by byte. */
export class WireClient {
  readonly socket: Socket
  readonly frames: Frame[] = []
  hasEnded = false
  #rest = Buffer.alloc(0)
  #taken = 0
  readonly #decoder = new HpackDecoder({ tableSize: 4096, maxListSize: 1 << 20, maxFields: 1000 })

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('end', () => {
      this.hasEnded = true
    })
    socket.on('close', () => {
      this.hasEnded = true
    })
  }

  send(...pieces: Buffer[]): void {
    this.socket.write(Buffer.concat(pieces))
  }

  /** The next frame that matches, of those not returned yet. */
  async next(matches: (frame: Frame) => boolean): Promise<Frame> {
    let found: Frame | undefined
    await until(
      () => {
        while (found === undefined && this.#taken < this.frames.length) {
          const one = this.frames[this.#taken++] as Frame
          if (matches(one)) found = one
        }
        if (found === undefined && this.hasEnded) assert.fail('the connection ended first')
        return found !== undefined
      },
      { everyMs: 1, atMostMs: 10_000 },
    )
    return found as Frame
  }

  fieldsOf({ payload }: Frame): Record<string, string> {
    return Object.fromEntries(this.#decoder.decode(payload).fields.map(({ name, value }) => [name, value]))
  }

  /** The whole answer on a stream. */
  async answer(stream: number): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
    const isHead = (one: Frame) => one.type === frameTypes.headers && one.stream === stream
    await until(() => this.hasEnded || this.frames.some(isHead), { everyMs: 1, atMostMs: 10_000 })
    const head = this.frames.find(isHead) ?? assert.fail('the connection ended first')
    const fields = this.fieldsOf(head)
    const isOver = (one: Frame) => one.stream === stream && (one.flags & flags.endStream) !== 0
    if (!isOver(head)) {
      await until(
        () => this.hasEnded || this.frames.some((one) => one.type === frameTypes.data && isOver(one)),
        { everyMs: 1, atMostMs: 10_000 },
      )
    }
    const pieces = this.frames.filter((one) => one.type === frameTypes.data && one.stream === stream)
    return {
      status: Number(fields[':status']),
      headers: fields,
      body: Buffer.concat(pieces.map(({ payload }) => payload)),
    }
  }

  /** The code with which a stream was reset. */
  async reset(stream: number): Promise<number> {
    const isReset = (one: Frame) => one.type === frameTypes.rstStream && one.stream === stream
    await until(() => this.hasEnded || this.frames.some(isReset), { everyMs: 1, atMostMs: 10_000 })
    const { payload } = this.frames.find(isReset) ?? assert.fail('the connection ended first')
    return payload.readUInt32BE(0)
  }

  /** The code of GOAWAY, after which the server must have ended the connection. */
  async goAway(): Promise<number> {
    const { payload } = await this.next((one) => one.type === frameTypes.goAway)
    await until(() => this.hasEnded, { everyMs: 1, atMostMs: 10_000 })
    return payload.readUInt32BE(4)
  }

  /** Fails if the connection is not fully alive. */
  async isHealthy(stream: number): Promise<void> {
    this.send(ping('healthy?'), headers(stream))
    await this.next((one) => one.type === frameTypes.ping && one.payload.toString() === 'healthy?')
    assert.equal((await this.answer(stream)).status, 200)
  }

  #read(chunk: Buffer): void {
    let rest = Buffer.concat([this.#rest, chunk])
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const end = 9 + rest.readUIntBE(0, 3)
      const stream = rest.readUInt32BE(5)
      this.frames.push({
        type: rest.readUInt8(3),
        flags: rest.readUInt8(4),
        stream,
        payload: rest.subarray(9, end),
      })
      rest = rest.subarray(end)
    }
    this.#rest = rest
  }
}
