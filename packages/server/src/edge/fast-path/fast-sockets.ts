import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Returns whether it took the bytes. The next read of any socket overwrites them. */
export type TakeBytes = (buffer: Buffer, length: number) => boolean

/** Returns whether the socket is read in place. Others are read by their `data` events as usual. */
export type ReadInPlace = (socket: Duplex, take: TakeBytes) => boolean

const longestRead = 64 * 1024

const takers = new WeakMap<Duplex, { take: TakeBytes }>()

/** Drops all further input without allocating. Returns false if the socket is not read in place. */
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
 * Reads many sockets into one buffer, bypassing the stream. Node supports this (`onread`) for outgoing connections only.
 * So we find the symbols under which node stores `onread` on a sample socket, and set them on accepted sockets. Bytes
 * that are not taken go into the stream.
 */
export function createInPlaceReader(): ReadInPlace {
  const buffer = Buffer.allocUnsafeSlow(longestRead)
  const symbols = findOnRead(buffer)
  return (socket, take) => {
    if (symbols === null || !(socket instanceof Socket)) return false
    const handle: unknown = Reflect.get(socket, '_handle')
    if (!canUseBuffer(handle) || !symbols.every((symbol) => Object.hasOwn(socket, symbol))) return false
    const [bufferSymbol, callbackSymbol] = symbols
    const taker = { take }
    takers.set(socket, taker)
    const receive = (length: number): boolean =>
      taker.take(buffer, length) || socket.push(Buffer.from(buffer.subarray(0, length)))
    Reflect.set(socket, callbackSymbol, receive)
    Reflect.set(socket, bufferSymbol, buffer)
    handle.useUserBuffer(buffer)
    return true
  }
}

/** Null if this node works differently, and on Windows, which fills several sockets' buffers at once. */
function findOnRead(buffer: Buffer): [buffer: symbol, callback: symbol] | null {
  if (process.platform === 'win32') return null
  const callback = () => true
  const sample = new Socket({ onread: { buffer, callback } })
  const symbolOf = (value: unknown) =>
    Object.getOwnPropertySymbols(sample).find((symbol) => Reflect.get(sample, symbol) === value)
  const [bufferSymbol, callbackSymbol] = [symbolOf(buffer), symbolOf(callback)]
  return bufferSymbol === undefined || callbackSymbol === undefined ? null : [bufferSymbol, callbackSymbol]
}

function canUseBuffer(handle: unknown): handle is { useUserBuffer(buffer: Buffer): void } {
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'useUserBuffer' in handle &&
    typeof handle.useUserBuffer === 'function'
  )
}

/** Null if the socket has to be written through its stream. */
export type OpenDirectWriter = (socket: Duplex) => DirectWriter | null

/**
 * Writes to sockets directly, bypassing the stream, and batches the writes of one event loop iteration at its end, when
 * code and data are still in the processor's caches.
 */
export function createBatchedWriter(): OpenDirectWriter {
  if (!handleCreatesWriteRequests()) return () => null
  let queued: DirectWriter[] = []
  const writeAll = () => {
    const all = queued
    queued = []
    for (const writer of all) writer.writeNow()
  }
  const writeLater = (writer: DirectWriter) => {
    if (queued.push(writer) === 1) setImmediate(writeAll)
  }
  return (socket) => (hasHandle(socket) ? new DirectWriter(socket, writeLater) : null)
}

/** Writes to one socket. Its stream may only write once everything here is written (`afterAll`). */
export class DirectWriter {
  readonly #socket: HandledSocket
  readonly #handle: WritableHandle
  readonly #writeLater: (writer: DirectWriter) => void
  #next: Buffer | null = null
  #isDue = false
  /** Node allows one write at a time. */
  #isWriting = false
  #afterwards: (() => void)[] = []

  constructor(socket: HandledSocket, writeLater: (writer: DirectWriter) => void) {
    this.#socket = socket
    this.#handle = socket._handle
    this.#writeLater = writeLater
  }

  get isIdle(): boolean {
    return this.#next === null && !this.#isWriting
  }

  /** Returns false if an earlier write is still queued. */
  tryWrite(bytes: Buffer): boolean {
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

  /** At the end of the event loop iteration. */
  writeNow(): void {
    this.#isDue = false
    if (!this.#isWriting) this.#write()
  }

  #write(): void {
    const bytes = this.#next
    const handle = this.#handle
    // A closed socket has no handle.
    if (bytes === null || this.#socket._handle !== handle) return
    this.#next = null
    this.#isWriting = true
    const request = handle.writeBuffer(null, bytes)
    if (typeof request === 'number') {
      this.#written(request)
      return
    }
    // The reference keeps the bytes alive until they are written. A request refused immediately would never complete.
    // That takes a socket that was ended, which is never written to; if it were, the idle timeout would close it.
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
  /** Not null if the write finished synchronously. */
  writeStatus: number | null
}

interface WritableHandle {
  /** A number if the write finished synchronously: 0, or an error code. */
  writeBuffer(request: null, bytes: Buffer): WriteRequest | number
}

interface HandledSocket extends Socket {
  readonly _handle: WritableHandle
}

function hasHandle(socket: Duplex): socket is HandledSocket {
  const handle: unknown = socket instanceof Socket ? Reflect.get(socket, '_handle') : null
  return typeof handle === 'object' && handle !== null && 'writeBuffer' in handle
}

/** Whether this node lets the handle create write requests, as assumed above: observed in a write of its own. */
function handleCreatesWriteRequests(): boolean {
  let createsThem = false
  const handle = {
    writeBuffer(request: unknown): number {
      createsThem = request === null
      return 0
    },
  }
  const sample = new Socket()
  Reflect.set(sample, '_handle', handle)
  sample.write(Buffer.alloc(1))
  return createsThem
}
