import { errorCodes, flags, Http2Error } from './protocol.ts'

/**
 * How much HEADERS and its CONTINUATIONs may carry together. A list that is too large for us is answered with 431 if its
 * block fits, because the connection can go on only once all of it was decoded.
 */
const maxBlockSize = 64 * 1024

const nothing = Buffer.alloc(0)

/** Gathers a header block that is cut across frames (RFC 9113, 4.3). */
export class HeaderBlock {
  /** Zero if there is none under way. */
  stream = 0
  endStream = false
  #bytes = nothing

  /** Whether the next frame must be a CONTINUATION. */
  get isOpen(): boolean {
    return this.stream !== 0
  }

  begin(stream: number, endStream: boolean, bytes: Buffer, start: number, end: number): void {
    this.stream = stream
    this.endStream = endStream
    this.#bytes = Buffer.from(bytes.subarray(start, end))
  }

  add(bytes: Buffer, start: number, end: number): void {
    if (this.#bytes.length + end - start > maxBlockSize) {
      throw new Http2Error(errorCodes.enhanceYourCalm, 'A header block is too large')
    }
    this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(start, end)])
  }

  /** The whole block, once. */
  take(): Buffer {
    const bytes = this.#bytes
    this.#bytes = nothing
    this.stream = 0
    return bytes
  }
}

/** Where the content of a DATA or HEADERS frame begins and ends without its padding (RFC 9113, 6.1). */
export function withoutPadding(
  frameFlags: number,
  bytes: Buffer,
  start: number,
  end: number,
): { start: number; end: number } {
  if ((frameFlags & flags.padded) === 0) return { start, end }
  if (start === end) throw new Http2Error(errorCodes.frameSizeError, 'A frame has no room for its padding')
  const from = start + 1
  const to = end - (bytes[start] as number)
  if (to < from) throw new Http2Error(errorCodes.protocolError, 'A frame is shorter than its padding')
  return { start: from, end: to }
}
