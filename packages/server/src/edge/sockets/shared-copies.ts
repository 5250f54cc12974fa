/** A copy keeps all of this memory from being freed, however small it is, for as long as somebody uses it. */
const sharedBytes = 8 * 1024
const longestShared = 1024

/**
 * Copies of bytes that are overwritten soon. Small ones share memory: Node would give each read an ArrayBuffer of its own,
 * and freeing these is nearly half of what collecting young objects takes.
 */
export class SharedCopies {
  #memory = Buffer.allocUnsafeSlow(sharedBytes)
  #used = 0

  copy(bytes: Buffer, length: number): Buffer {
    const copy = this.#reserve(length)
    bytes.copy(copy, 0, 0, length)
    return copy
  }

  #reserve(length: number): Buffer {
    if (length > longestShared) return Buffer.allocUnsafeSlow(length)
    if (this.#used + length > sharedBytes) {
      this.#memory = Buffer.allocUnsafeSlow(sharedBytes)
      this.#used = 0
    }
    const start = this.#used
    this.#used += length
    return this.#memory.subarray(start, this.#used)
  }
}
