import type { SiteSocket } from '../../sockets/site-socket.ts'
import { frameHeadSize, frameTypes, maxFrameSize, writeFrameHead } from './protocol.ts'

/** Four full DATA frames, and room for what goes before them. */
const bufferSize = 4 * (maxFrameSize + frameHeadSize) + 2_048

/** For connections that send much, as long as not too many are in use at once. It fills eight records of TLS. */
const largeBufferSize = 128 * 1024
const maxLarge = 64

/** After a write of this size or more, the next one gets a large buffer. */
const muchToSend = 32 * 1024

/** A frame is cut to fill a large buffer, but not into less than this. */
const smallestCut = 1_024

/** Once so much waits to be sent, nothing more is read from the client. Answers stop at half of it. */
export const maxUnread = 256 * 1024

/** Up to this length, copying byte by byte costs less than calling what copies. */
const longestLoop = 48

/** A write of this size or less may have nothing but acknowledgements. */
const mostControl = 1_024

/** Buffers that are kept for the next write, of all connections. */
const maxIdleBuffers = 256

interface WriteBuffer {
  readonly bytes: Buffer
  readonly onWritten: () => void
  length: number
}

const idleBuffers: WriteBuffer[] = []
const idleLarge: WriteBuffer[] = []
let largeInUse = 0

function takeBuffer(hasMuchToSend: boolean): WriteBuffer {
  if (!hasMuchToSend || largeInUse === maxLarge) return idleBuffers.pop() ?? createBuffer()
  largeInUse++
  return idleLarge.pop() ?? createLargeBuffer()
}

function createBuffer(): WriteBuffer {
  const buffer: WriteBuffer = {
    bytes: Buffer.allocUnsafeSlow(bufferSize),
    length: 0,
    onWritten() {
      buffer.length = 0
      if (idleBuffers.length < maxIdleBuffers) idleBuffers.push(buffer)
    },
  }
  return buffer
}

function createLargeBuffer(): WriteBuffer {
  const buffer: WriteBuffer = {
    bytes: Buffer.allocUnsafeSlow(largeBufferSize),
    length: 0,
    onWritten() {
      buffer.length = 0
      largeInUse--
      idleLarge.push(buffer)
    },
  }
  return buffer
}

/**
 * Gathers the frames of one turn and sends them in one write. The buffers are shared by all connections and are used again
 * once the system has taken what is in them.
 */
export class FrameOutput {
  readonly #socket: SiteSocket
  #buffer: WriteBuffer | null = null
  #isDue = false
  #hasMuchToSend = false
  /** Whether content was written since the previous check. */
  #hasProgress = false

  constructor(socket: SiteSocket) {
    this.#socket = socket
  }

  /** What the system has not taken yet. */
  get unsent(): number {
    return this.#socket.unsent + (this.#buffer?.length ?? 0)
  }

  /** Writes the head of a frame, and makes room for its payload. */
  startFrame(type: number, flags: number, stream: number, length: number): void {
    const size = frameHeadSize + length
    let buffer = this.#buffer
    if (buffer === null || buffer.length + size > buffer.bytes.length) buffer = this.#changeBuffer()
    writeFrameHead(buffer.bytes, buffer.length, length, type, flags, stream)
    buffer.length += frameHeadSize
  }

  /** Part of the payload of the frame that was started last. */
  append(payload: Buffer, start = 0, end = payload.length): void {
    const buffer = this.#buffer
    if (buffer === null) return
    const { bytes, length } = buffer
    if (end - start > longestLoop) payload.copy(bytes, length, start, end)
    else for (let at = start, to = length; at < end; at++, to++) bytes[to] = payload[at] as number
    buffer.length = length + end - start
  }

  appendUint32(value: number): void {
    const buffer = this.#buffer
    if (buffer === null) return
    buffer.bytes.writeUInt32BE(value, buffer.length)
    buffer.length += 4
  }

  appendUint16(value: number): void {
    const buffer = this.#buffer
    if (buffer === null) return
    buffer.bytes.writeUInt16BE(value, buffer.length)
    buffer.length += 2
  }

  /** How much of a payload of this length the next frame takes. */
  roomFor(length: number): number {
    const buffer = this.#buffer ?? this.#changeBuffer()
    const room = buffer.bytes.length - buffer.length - frameHeadSize
    const isCut = buffer.bytes.length === largeBufferSize && room >= smallestCut
    return Math.min(length, maxFrameSize, isCut ? room : length)
  }

  /** In frames that the peer accepts whatever its settings. */
  writeData(stream: number, payload: Buffer, start: number, end: number, endFlag: number): void {
    let at = start
    do {
      const next = at + this.roomFor(end - at)
      this.startFrame(frameTypes.data, next === end ? endFlag : 0, stream, next - at)
      this.append(payload, at, next)
      at = next
    } while (at < end)
  }

  #changeBuffer(): WriteBuffer {
    this.flush()
    const buffer = takeBuffer(this.#hasMuchToSend)
    this.#buffer = buffer
    return buffer
  }

  /** Sends everything at the end of the turn, or when the write before it is done. */
  flushLater(): void {
    if (this.#isDue || this.#buffer === null) return
    this.#isDue = true
    this.#socket.turn.writeLater(this.#flushDue)
  }

  readonly #flushDue = (): void => {
    this.#isDue = false
    // Otherwise the socket says when there is room.
    if (this.#socket.unsent > 0) return
    this.flush()
    if (this.#socket.unsent === 0) this.#socket.onRoom()
  }

  flush(): void {
    const buffer = this.#buffer
    if (buffer === null) return
    this.#buffer = null
    this.#hasProgress ||= buffer.length > mostControl
    this.#hasMuchToSend = buffer.length >= muchToSend
    this.#socket.write(buffer.bytes.subarray(0, buffer.length), buffer.onWritten)
  }

  /** Sends frames that were written elsewhere. */
  writeFrames(frames: Buffer, onWritten: () => void): void {
    this.flush()
    this.#hasProgress = true
    this.#socket.write(frames, onWritten)
  }

  /** Gives back what will never be sent. */
  discard(): void {
    this.#buffer?.onWritten()
    this.#buffer = null
  }

  /** Whether answers were sent since the previous call, and not only what every frame of the client is answered with. */
  takeProgress(): boolean {
    const hasProgress = this.#hasProgress
    this.#hasProgress = false
    return hasProgress
  }
}
