import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Says whether it took the bytes. The next read of any socket overwrites them. */
export type TakeBytes = (buffer: Buffer, length: number) => boolean

/** Whether the socket is read so; others are read by their `data` events as ever. */
export type ReadInPlace = (socket: Duplex, take: TakeBytes) => boolean

const longestRead = 64 * 1024

/** Who takes the bytes of each socket that is read in place. */
const takers = new WeakMap<Duplex, { take: TakeBytes }>()

/** From now on drops what arrives, without allocating anything for it. False: this socket is not read in place. */
export function dropInPlace(socket: Duplex, onDrop: (length: number) => void): boolean {
  const taker = takers.get(socket)
  if (taker === undefined) return false
  taker.take = (_, length) => {
    onDrop(length)
    return true
  }
  return true
}

/**
 * Reads many sockets by one buffer, without a stream between: node can do so (`onread`), but offers it only to who
 * connects and not to who accepts. Where it keeps what `onread` says is therefore looked up on a socket that was made
 * with it, and said of sockets that were accepted. Bytes that are not taken go into the stream.
 */
export function createInPlaceReader(): ReadInPlace {
  const buffer = Buffer.allocUnsafeSlow(longestRead)
  const kept = findOnRead(buffer)
  return (socket, take) => {
    if (kept === null || !(socket instanceof Socket)) return false
    const handle: unknown = Reflect.get(socket, '_handle')
    if (!canUseBuffer(handle) || !kept.every((place) => Object.hasOwn(socket, place))) return false
    const [bufferPlace, callbackPlace] = kept
    const taker = { take }
    takers.set(socket, taker)
    const receive = (length: number): boolean =>
      taker.take(buffer, length) || socket.push(Buffer.from(buffer.subarray(0, length)))
    Reflect.set(socket, callbackPlace, receive)
    Reflect.set(socket, bufferPlace, buffer)
    handle.useUserBuffer(buffer)
    return true
  }
}

/** Null where this node does it in another way, and on Windows, which fills the buffers of many sockets at a time. */
function findOnRead(buffer: Buffer): [buffer: symbol, callback: symbol] | null {
  if (process.platform === 'win32') return null
  const callback = () => true
  const sample = new Socket({ onread: { buffer, callback } })
  const placeOf = (value: unknown) =>
    Object.getOwnPropertySymbols(sample).find((place) => Reflect.get(sample, place) === value)
  const [bufferPlace, callbackPlace] = [placeOf(buffer), placeOf(callback)]
  return bufferPlace === undefined || callbackPlace === undefined ? null : [bufferPlace, callbackPlace]
}

function canUseBuffer(handle: unknown): handle is { useUserBuffer(buffer: Buffer): void } {
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'useUserBuffer' in handle &&
    typeof handle.useUserBuffer === 'function'
  )
}

/** Null where the socket must be written by its stream. */
export type OpenDirectWriter = (socket: Duplex) => DirectWriter | null

/**
 * Writes to sockets without a stream between, and to all that were given something in a turn of the event loop one
 * after the other at the end of it: what happens for every write then finds its code and data still warm.
 */
export function createBatchedWriter(): OpenDirectWriter {
  if (!handleCreatesWriteRequests()) return () => null
  let given: DirectWriter[] = []
  const writeAll = () => {
    const all = given
    given = []
    for (const outlet of all) outlet.writeNow()
  }
  const writeLater = (outlet: DirectWriter) => {
    if (given.push(outlet) === 1) setImmediate(writeAll)
  }
  return (socket) => (hasHandle(socket) ? new DirectWriter(socket, writeLater) : null)
}

/** One way out of a socket. What its stream is to write has to wait until all went out here (`afterAll`). */
export class DirectWriter {
  readonly #socket: HandledSocket
  readonly #handle: WritableHandle
  readonly #writeLater: (outlet: DirectWriter) => void
  #next: Buffer | null = null
  #isDue = false
  /** node allows one write at a time. */
  #isWriting = false
  #afterwards: (() => void)[] = []

  constructor(socket: HandledSocket, writeLater: (outlet: DirectWriter) => void) {
    this.#socket = socket
    this.#handle = socket._handle
    this.#writeLater = writeLater
  }

  get isIdle(): boolean {
    return this.#next === null && !this.#isWriting
  }

  /** Whether it was taken: not while there is something that was not written yet. */
  give(bytes: Buffer): boolean {
    if (this.#next !== null) return false
    this.#next = bytes
    this.#isDue = true
    this.#writeLater(this)
    return true
  }

  afterAll(act: () => void): void {
    if (this.isIdle) act()
    else this.#afterwards.push(act)
  }

  /** At the end of the turn. */
  writeNow(): void {
    this.#isDue = false
    if (!this.#isWriting) this.#write()
  }

  #write(): void {
    const bytes = this.#next
    const handle = this.#handle
    // It has none any more when it is closed.
    if (bytes === null || this.#socket._handle !== handle) return
    this.#next = null
    this.#isWriting = true
    const request = handle.writeBuffer(null, bytes)
    if (typeof request === 'number') {
      this.#written(request)
      return
    }
    // What is written must not be collected before it is. A request that is refused at once would never complete: that
    // takes a socket which was ended, and nothing is given to one. Were it so, who closes idle connections ends it.
    request.buffer = bytes
    request.oncomplete = this.#written
    const status = request.writeStatus
    if (status !== null) this.#written(status)
  }

  readonly #written = (status: number): void => {
    this.#isWriting = false
    if (status < 0) this.#socket.destroy()
    else if (this.#next === null) {
      if (this.#afterwards.length > 0) this.#actAfterwards()
    } else if (!this.#isDue) this.#write()
  }

  #actAfterwards(): void {
    const acts = this.#afterwards
    this.#afterwards = []
    for (const act of acts) act()
  }
}

interface WriteRequest {
  buffer?: Buffer
  oncomplete?: (status: number) => void
  /** Not null: it was written before anybody could listen. */
  writeStatus: number | null
}

interface WritableHandle {
  /** A number where it is over already: 0, or what went wrong. */
  writeBuffer(request: null, bytes: Buffer): WriteRequest | number
}

interface HandledSocket extends Socket {
  readonly _handle: WritableHandle
}

function hasHandle(socket: Duplex): socket is HandledSocket {
  const handle: unknown = socket instanceof Socket ? Reflect.get(socket, '_handle') : null
  return typeof handle === 'object' && handle !== null && 'writeBuffer' in handle
}

/** Whether this node has the handle make the request of a write, as is assumed above: seen by how it writes itself. */
function handleCreatesWriteRequests(): boolean {
  let makesThem = false
  const handle = {
    writeBuffer(request: unknown): number {
      makesThem = request === null
      return 0
    },
  }
  const sample = new Socket()
  Reflect.set(sample, '_handle', handle)
  sample.write(Buffer.alloc(1))
  return makesThem
}
