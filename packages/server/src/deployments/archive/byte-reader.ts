/** Reads a stream of chunks by the byte, holding no more than what was asked for and one chunk. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array(0)
  #offset = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The next `length` bytes, or null where the stream ends before them. */
  async exactly(length: number): Promise<Buffer | null> {
    const first = this.#take(length)
    if (first.byteLength === length) return Buffer.from(first.buffer, first.byteOffset, length)
    const whole = Buffer.allocUnsafe(length)
    whole.set(first)
    let filled = first.byteLength
    while (filled < length) {
      const part = await this.some(length - filled)
      if (!part) return null
      whole.set(part, filled)
      filled += part.byteLength
    }
    return whole
  }

  /** Between 1 and `most` bytes, whatever is at hand, or null at the end. */
  async some(most: number): Promise<Uint8Array | null> {
    while (this.#offset === this.#chunk.byteLength) {
      const { done, value } = await this.#source.next()
      if (done) return null
      this.#chunk = value
      this.#offset = 0
    }
    return this.#take(most)
  }

  /** Passes over `length` bytes; false where the stream ends before them. */
  async skip(length: number): Promise<boolean> {
    let left = length
    while (left > 0) {
      const part = await this.some(left)
      if (!part) return false
      left -= part.byteLength
    }
    return true
  }

  /** Tells the source that nothing more will be read. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  #take(most: number): Uint8Array {
    const part = this.#chunk.subarray(this.#offset, this.#offset + most)
    this.#offset += part.byteLength
    return part
  }
}
