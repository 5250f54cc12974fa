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
  #beginnings = new Beginnings(this.#plain)

  /** Null if they are too long. Over TLS the result is needed only for the write itself, which encrypts or copies it. */
  join(parts: readonly Buffer[], length: number, isSecure: boolean): Buffer | null {
    const memory = isSecure ? this.#secure : this.#plain
    if (length > memory.length) return null
    let at = 0
    for (const part of parts) {
      memory.set(part, at)
      at += part.length
    }
    return isSecure ? memory.subarray(0, length) : this.#beginnings.first(length)
  }

  /** To be called if the system has not taken everything that was joined last. */
  keepPlain(): void {
    this.#plain = Buffer.allocUnsafeSlow(longestPlain)
    this.#beginnings = new Beginnings(this.#plain)
  }
}

const maxKept = 1_024

/** Views of the beginning of memory. Answers often have the same lengths, and a new view costs as much as copying one. */
class Beginnings {
  readonly #memory: Buffer
  readonly #kept = new Array<Buffer | undefined>(maxKept)

  constructor(memory: Buffer) {
    this.#memory = memory
  }

  first(length: number): Buffer {
    const place = length % maxKept
    const kept = this.#kept[place]
    if (kept?.length === length) return kept
    const view = this.#memory.subarray(0, length)
    this.#kept[place] = view
    return view
  }
}
