import { errorCodes, frameHeadSize, Http2Error, maxFrameSize, preface } from './protocol.ts'

export interface FrameHandler {
  /** The payload is `bytes` from `start` to `end`, and only valid during the call. */
  onFrame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): void
  /** Asked before each frame. If so, the rest waits for `resume`. */
  isPaused(): boolean
}

const nothing: Buffer = Buffer.alloc(0)

/**
 * Cuts what a client sends into frames. They are read where they arrived; only a frame that is cut across reads is
 * copied, once, and at most one of them is held.
 */
export class FrameReader {
  readonly #handler: FrameHandler
  /** The beginning of what is cut: the preface, the head of a frame, or a whole frame. */
  #cut = nothing
  #cutLength = 0
  /** What was read but waits for `resume`. */
  #waiting = nothing
  #hasPreface = false

  constructor(handler: FrameHandler) {
    this.#handler = handler
  }

  /** Whether something has begun that is not complete. */
  get isWithinFrame(): boolean {
    return this.#cutLength > 0 || !this.#hasPreface
  }

  /** The bytes up to `length` are only used during the call. Throws Http2Error. */
  read(bytes: Buffer, length: number): void {
    if (this.#waiting.length === 0) {
      const rest = this.#readAll(bytes, length)
      if (rest < length) this.#waiting = Buffer.from(bytes.subarray(rest, length))
      return
    }
    const all = Buffer.concat([this.#waiting, bytes.subarray(0, length)])
    this.#waiting = all.subarray(this.#readAll(all, all.length))
  }

  /** Continues with what was read before the handler paused. */
  resume(): void {
    this.read(nothing, 0)
  }

  /** Returns how far it came before the handler paused. */
  #readAll(chunk: Buffer, end: number): number {
    let at = 0
    while (at < end && !this.#handler.isPaused()) {
      if (this.#cutLength > 0) at = this.#complete(chunk, at, end)
      else if (this.#hasPreface) at = this.#readFrame(chunk, at, end)
      else at = this.#readPreface(chunk, at, end)
    }
    return at
  }

  /** Returns where the next frame begins. */
  #readFrame(chunk: Buffer, at: number, end: number): number {
    const left = end - at
    const size = left < frameHeadSize ? frameHeadSize : frameHeadSize + payloadLength(chunk, at)
    if (left < size) {
      this.#hold(chunk, at, end, size)
      return end
    }
    this.#emit(chunk, at, size)
    return at + size
  }

  #hold(chunk: Buffer, at: number, end: number, size: number): void {
    this.#cut = Buffer.allocUnsafe(size)
    this.#cutLength = chunk.copy(this.#cut, 0, at, end)
  }

  /** Adds what is missing of the cut piece, as far as the chunk has it. Returns where the chunk continues. */
  #complete(chunk: Buffer, at: number, end: number): number {
    const copied = chunk.copy(this.#cut, this.#cutLength, at, end)
    this.#cutLength += copied
    if (this.#cutLength < this.#cut.length) return at + copied
    const piece = this.#cut
    if (!this.#hasPreface) {
      this.#release()
      checkPreface(piece, 0, preface.length)
      this.#hasPreface = true
      return at + copied
    }
    const size = frameHeadSize + payloadLength(piece, 0)
    if (size > piece.length) {
      this.#hold(piece, 0, piece.length, size)
      return at + copied
    }
    this.#release()
    this.#emit(piece, 0, size)
    return at + copied
  }

  #release(): void {
    this.#cut = nothing
    this.#cutLength = 0
  }

  #readPreface(chunk: Buffer, at: number, end: number): number {
    const prefaceEnd = Math.min(end, at + preface.length)
    checkPreface(chunk, at, prefaceEnd)
    this.#hasPreface = prefaceEnd - at === preface.length
    if (!this.#hasPreface) this.#hold(chunk, at, end, preface.length)
    return prefaceEnd
  }

  #emit(bytes: Buffer, at: number, size: number): void {
    const stream =
      (((bytes[at + 5] as number) & 0x7f) << 24) |
      ((bytes[at + 6] as number) << 16) |
      ((bytes[at + 7] as number) << 8) |
      (bytes[at + 8] as number)
    const start = at + frameHeadSize
    this.#handler.onFrame(bytes[at + 3] as number, bytes[at + 4] as number, stream, bytes, start, at + size)
  }
}

function payloadLength(bytes: Buffer, at: number): number {
  const length = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
  if (length > maxFrameSize) throw new Http2Error(errorCodes.frameSizeError, 'A frame is too large')
  return length
}

/** `bytes` from `at` to `end` must be how the preface begins (RFC 9113, 3.4). */
function checkPreface(bytes: Buffer, at: number, end: number): void {
  if (bytes.compare(preface, 0, end - at, at, end) === 0) return
  throw new Http2Error(errorCodes.protocolError, 'The client does not speak HTTP/2')
}
