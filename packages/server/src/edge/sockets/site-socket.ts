import type { Socket } from 'node:net'
import { closeLingering, closeWhenRead } from './close-connection.ts'
import { type FastSockets, findFastSockets, type Handle, type TakeBytes } from './fast-sockets.ts'
import { JoinedParts } from './joined-parts.ts'
import { Turn } from './turn.ts'

/** Opens sockets in the fastest way there is, or as streams if `fast` is false. */
export type OpenSocket = (stream: Socket) => SiteSocket

export function createOpenSocket(fast: boolean, turn = new Turn()): OpenSocket {
  const found = fast ? findFastSockets() : null
  const joined = new JoinedParts()
  return (stream) => new SiteSocket(stream, turn, joined, found)
}

interface Write {
  bytes: Buffer | Buffer[]
  length: number
  onWritten: () => void
}

/** A connection as the protocols of sites read and write it. Its users write nothing to its stream. */
export class SiteSocket {
  /** For its addresses, for pausing, and for its end. */
  readonly stream: Socket
  readonly isSecure: boolean
  readonly turn: Turn
  readonly #joined: JoinedParts
  /** Called when the system has taken something that had to wait. */
  onRoom: () => void = doNothing
  readonly #fast: FastSockets | null
  readonly #handle: Handle | null
  #take: TakeBytes = doNothing
  #isRead = false
  #wantsInPlace = false
  #unsent = 0
  #hasMoved = false
  /** A handle takes one write at a time. */
  #current: Write | null = null
  /** What waits for that, or for the end of the turn. Hardly ever more than one. */
  #next: Write | null = null
  #queue: Write[] = []
  #isForLater = false
  #afterwards: (() => void)[] = []

  constructor(stream: Socket, turn: Turn, joined: JoinedParts, fast: FastSockets | null) {
    this.stream = stream
    this.turn = turn
    this.#joined = joined
    this.isSecure = 'encrypted' in stream
    this.#fast = fast
    this.#handle = fast?.handleOf(stream) ?? null
  }

  /** What the system has not taken yet. */
  get unsent(): number {
    return this.#unsent
  }

  /** Whether anything was received or sent since the previous call. */
  takeMovement(): boolean {
    const hasMoved = this.#hasMoved
    this.#hasMoved = false
    return hasMoved
  }

  /** Everything that arrives from now on goes to `take`. The bytes are only valid during the call. */
  read(take: TakeBytes): void {
    this.#take = take
    if (this.#isRead) return
    this.#isRead = true
    this.stream.on('data', this.#onData)
  }

  /** Reads it in the fastest way. To be called only if it will never be handed over. */
  readInPlace(): void {
    this.#wantsInPlace = this.#handle !== null
    this.#tryInPlace()
  }

  /** Leaves the stream to somebody else, who reads and writes it as any other. */
  handOver(): Socket {
    const { stream } = this
    stream.off('data', this.#onData)
    if (this.#handle !== null && !stream.destroyed) this.#fast?.readCopies(stream, this.#handle)
    return stream
  }

  /** The bytes must stay as they are until `onWritten` is called. */
  write(bytes: Buffer | Buffer[], onWritten: () => void = doNothing): void {
    const write = this.#createWrite(bytes, onWritten)
    if (this.#next === null && this.#current === null) this.#start(write)
    else {
      this.#enqueue(write)
      this.#writeQueue()
    }
  }

  /**
   * Writes at the end of the turn. One write after the other wakes the clients' side once instead of once per answer, which
   * is much of what a write costs. A second time in a turn it is written now, or a client that does not read could fill the
   * memory within the turn.
   */
  writeLater(bytes: Buffer | Buffer[], onWritten: () => void = doNothing): void {
    if (this.#isForLater || this.#next !== null) {
      this.write(bytes, onWritten)
      return
    }
    this.#isForLater = true
    this.#enqueue(this.#createWrite(bytes, onWritten))
    this.turn.writeLater(this.#writeQueued)
  }

  /** Calls `act` once everything is sent. */
  afterAll(act: () => void): void {
    if (this.#unsent === 0) act()
    else this.#afterwards.push(act)
  }

  /** Ends the connection after everything that was written, and drops what the client still sends. */
  closeLingering(): void {
    this.#take = doNothing
    this.afterAll(() => closeLingering(this.stream))
  }

  /** The same for a client that may still read an answer, and say so. */
  closeWhenRead(): void {
    this.#take = doNothing
    this.afterAll(() => closeWhenRead(this.stream))
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#receive(chunk, chunk.length)
    if (this.#wantsInPlace) this.#tryInPlace()
  }

  readonly #receive = (bytes: Buffer, length: number): void => {
    this.#hasMoved = true
    this.#take(bytes, length)
  }

  /** What the stream holds came first, so it is read first. */
  #tryInPlace(): void {
    const { stream } = this
    if (!this.#wantsInPlace || this.#handle === null || stream.readableLength > 0 || stream.readableEnded)
      return
    this.#wantsInPlace = false
    if (!stream.destroyed) this.#fast?.readInPlace(stream, this.#handle, this.#receive)
  }

  #createWrite(bytes: Buffer | Buffer[], onWritten: () => void): Write {
    const length = Array.isArray(bytes) ? lengthOf(bytes) : bytes.length
    this.#unsent += length
    return { bytes, length, onWritten }
  }

  readonly #writeQueued = (): void => {
    this.#isForLater = false
    this.#writeQueue()
    if (this.#current === null) this.onRoom()
  }

  #enqueue(write: Write): void {
    if (this.#next === null) this.#next = write
    else this.#queue.push(write)
  }

  #writeQueue(): void {
    while (this.#current === null && this.#next !== null) {
      const next = this.#next
      this.#next = this.#queue.length === 0 ? null : (this.#queue.shift() ?? null)
      this.#start(next)
    }
  }

  #start(write: Write): void {
    if (this.#handle === null) this.#writeToStream(write)
    else this.#writeTo(this.#handle, write)
  }

  #writeToStream(write: Write): void {
    const { stream } = this
    const { bytes } = write
    const written = () => this.#finish(write)
    if (stream.destroyed || stream.writableEnded) written()
    else if (Array.isArray(bytes)) {
      stream.cork()
      for (const [index, part] of bytes.entries())
        stream.write(part, index === bytes.length - 1 ? written : undefined)
      stream.uncork()
    } else stream.write(bytes, written)
  }

  #writeTo(handle: Handle, write: Write): void {
    const { bytes } = write
    if (this.#fast?.isOpen(this.stream, handle) !== true) {
      this.#release(write)
      return
    }
    const joined = Array.isArray(bytes) ? this.#joined.join(bytes, write.length, this.isSecure) : null
    const request = writeParts(handle, joined ?? bytes)
    if (typeof request === 'number') {
      this.#release(write)
      if (request < 0) this.stream.destroy()
      return
    }
    this.#current = write
    if (this.isSecure) this.#releaseBytes(write)
    else {
      request.buffer = joined ?? bytes
      if (joined !== null) this.#joined.keepPlain()
    }
    request.oncomplete = this.#onComplete
    const status = request.writeStatus
    if (status === null) return
    request.writeStatus = null
    this.#onComplete(status)
  }

  readonly #onComplete = (status: number): void => {
    const write = this.#current
    if (write === null) return
    this.#current = null
    if (status < 0) this.stream.destroy()
    this.#writeQueue()
    this.#finish(write)
  }

  #release({ length, onWritten }: Write): void {
    this.#hasMoved = true
    this.#unsent -= length
    onWritten()
    if (this.#unsent > 0 || this.#afterwards.length === 0) return
    const acts = this.#afterwards
    this.#afterwards = []
    for (const act of acts) act()
  }

  /** TLS has encrypted or copied them when a write returns. */
  #releaseBytes(write: Write): void {
    const { onWritten } = write
    write.onWritten = doNothing
    onWritten()
  }

  #finish(write: Write): void {
    this.#release(write)
    this.onRoom()
  }
}

function writeParts(handle: Handle, bytes: Buffer | Buffer[]) {
  return Array.isArray(bytes) ? handle.writev(null, bytes, true) : handle.writeBuffer(null, bytes)
}

function lengthOf(parts: readonly Buffer[]): number {
  let length = 0
  for (const part of parts) length += part.length
  return length
}

function doNothing(): void {}
