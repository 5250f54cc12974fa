import { releasePiece, takePiece } from '../../assets/pieces.ts'
import { frameHeadSize, frameTypes, maxFrameSize, writeFrameHead } from './protocol.ts'

/** Fifteen records of TLS, which is less than what may wait to be sent. */
export const longestFramed = 15 * 16_384

/** Part of a file in DATA frames: it is read between their heads and sent from there, without a copy. */
export class FramedPiece {
  /** Where to read it to. */
  readonly parts: readonly Buffer[]
  /** How much of the file it is: what was asked for, or less. */
  readonly length: number
  readonly #bytes: Buffer

  constructor(wanted: number) {
    const heads = Math.ceil(wanted / maxFrameSize) * frameHeadSize
    this.#bytes = takePiece(Math.min(wanted + heads, longestFramed))
    const parts: Buffer[] = []
    const frameSize = frameHeadSize + maxFrameSize
    for (let at = 0; at < this.#bytes.length; at += frameSize)
      parts.push(this.#bytes.subarray(at + frameHeadSize, at + frameSize))
    this.parts = parts
    this.length = this.#bytes.length - parts.length * frameHeadSize
  }

  /** The frames, to be released once they are sent. */
  toFrames(stream: number, endFlag: number): Buffer {
    let at = 0
    for (const [index, { length }] of this.parts.entries()) {
      const flags = index === this.parts.length - 1 ? endFlag : 0
      writeFrameHead(this.#bytes, at, length, frameTypes.data, flags, stream)
      at += frameHeadSize + length
    }
    return this.#bytes
  }

  /** The content alone, which takes over the memory. For a client that does not accept all of it. */
  toContent(): Buffer {
    let length = 0
    for (const part of this.parts) length += part.copy(this.#bytes, length)
    return this.#bytes.subarray(0, length)
  }

  readonly release = (): void => releasePiece(this.#bytes)
}
