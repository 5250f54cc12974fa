/** Up to this length, copying parts together costs less than having the system collect them. */
const longestPlain = 16 * 1024
/** TLS always copies them together, but into new memory for every write. */
const longestSecure = 160 * 1024

/**
 * Copies the parts of a write next to each other just before it, into memory that stays in the processor's caches because
 * all sockets share it.
 */
export class JoinedParts {
  readonly #secure = Buffer.allocUnsafeSlow(longestSecure)
  #plain = Buffer.allocUnsafeSlow(longestPlain)

  /** Null if they are too long. Over TLS the result is needed only for the write itself, which encrypts or copies it. */
  join(parts: readonly Buffer[], length: number, isSecure: boolean): Buffer | null {
    const memory = isSecure ? this.#secure : this.#plain
    if (length > memory.length) return null
    let at = 0
    for (const part of parts) at += part.copy(memory, at)
    return memory.subarray(0, length)
  }

  /** To be called if the system has not taken everything that was joined last. */
  keepPlain(): void {
    this.#plain = Buffer.allocUnsafeSlow(longestPlain)
  }
}
