/** Reads a stream by the byte, keeping at most one chunk and the requested bytes in memory. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array(0)
  #offset = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The next `length` bytes, or null if the stream ends before. Returns a promise only if it has to wait. */
  exactly(length: number): Buffer | null | Promise<Buffer | null> {
    const first = this.#take(length)
    if (first.byteLength < length) return this.#collect(first, length)
    return Buffer.from(first.buffer, first.byteOffset, length)
  }

  /** Between 1 and `max` bytes, whatever is available, or null at the end. */
  async some(max: number): Promise<Uint8Array | null> {
    while (this.#offset === this.#chunk.byteLength) {
      const { done, value } = await this.#source.next()
      if (done) return null
      this.#chunk = value
      this.#offset = 0
    }
    return this.#take(max)
  }

  /** Skips `length` bytes; false if the stream ends before. Returns a promise only if it has to wait. */
  skip(length: number): boolean | Promise<boolean> {
    const available = Math.min(length, this.#chunk.byteLength - this.#offset)
    this.#offset += available
    return available === length || this.#skipMore(length - available)
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #collect(first: Uint8Array, length: number): Promise<Buffer | null> {
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

  async #skipMore(length: number): Promise<boolean> {
    let left = length
    while (left > 0) {
      const part = await this.some(left)
      if (!part) return false
      left -= part.byteLength
    }
    return true
  }

  #take(max: number): Uint8Array {
    const part = this.#chunk.subarray(this.#offset, this.#offset + max)
    this.#offset += part.byteLength
    return part
  }
}
