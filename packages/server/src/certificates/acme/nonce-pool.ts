const most = 64
const nonce = /^[A-Za-z0-9_-]{1,512}$/

/** Every answer of a CA brings a nonce for one more request. The newest goes first: CAs forget the old ones. */
export class NoncePool {
  readonly #nonces: string[] = []

  /** What cannot be a nonce is ignored (RFC 8555, section 6.5.1). */
  keep(value: string | null): void {
    if (!isNonce(value)) return
    this.#nonces.push(value)
    if (this.#nonces.length > most) this.#nonces.shift()
  }

  take(): string | undefined {
    return this.#nonces.pop()
  }
}

export function isNonce(value: string | null): value is string {
  return value !== null && nonce.test(value)
}
