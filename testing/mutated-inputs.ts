/** Bytes at which lengths, indexes and flags change their meaning. */
const boundaryBytes = [0, 1, 0x0f, 0x1f, 0x20, 0x3f, 0x40, 0x7f, 0x80, 0xbf, 0xc0, 0xff]

/**
 * Inputs for a parser that strangers feed: changed versions of real ones, and every eighth time plain noise. The same
 * seed gives the same inputs. It costs about a microsecond an input, so that a test can afford a million.
 */
export class MutatedInputs {
  readonly #real: readonly Uint8Array[]
  readonly #buffer: Buffer
  #state: number

  constructor(real: readonly Uint8Array[], seed: number, longest = 4096) {
    this.#real = real
    this.#buffer = Buffer.alloc(longest)
    this.#state = seed
  }

  /** Valid until the next call. */
  next(): Buffer {
    if (this.integer(8) === 0) return this.#noise(this.integer(64))
    const real = this.#pick()
    this.#buffer.set(real.subarray(0, this.#buffer.length))
    let length = Math.min(real.length, this.#buffer.length)
    for (let changes = 1 + this.integer(4); changes > 0; changes--) length = this.#change(length)
    return this.#buffer.subarray(0, length)
  }

  /** Below `limit`. The generator is Mulberry32. */
  integer(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  #pick(): Uint8Array {
    return this.#real[this.integer(this.#real.length)] as Uint8Array
  }

  #noise(length: number): Buffer {
    for (let at = 0; at < length; at++) this.#buffer[at] = this.integer(256)
    return this.#buffer.subarray(0, length)
  }

  /** Returns the new length. */
  #change(length: number): number {
    const bytes = this.#buffer
    const at = this.integer(length + 1)
    switch (this.integer(8)) {
      case 0:
      case 1:
        bytes[at] = this.integer(256)
        return length
      case 2:
        bytes[at] = boundaryBytes[this.integer(boundaryBytes.length)] as number
        return length
      case 3:
        bytes[at] = (bytes[at] as number) ^ (1 << this.integer(8))
        return length
      case 4:
        return at
      case 5: {
        const removed = Math.min(this.integer(16), length - at)
        bytes.copyWithin(at, at + removed, length)
        return length - removed
      }
      case 6: {
        const repeated = Math.min(this.integer(32), length - at, bytes.length - length)
        bytes.copyWithin(at + repeated, at, length)
        return length + repeated
      }
      default: {
        const other = this.#pick()
        const from = this.integer(other.length + 1)
        const piece = other.subarray(from, from + bytes.length - at)
        bytes.set(piece, at)
        return at + piece.length
      }
    }
  }
}
