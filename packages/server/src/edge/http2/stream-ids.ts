import { errorCodes, Http2Error } from './frames/protocol.ts'

/** Streams of which later frames are ignored, because we have reset them and the client could not know. */
const maxIgnored = 100

/** What is known of the streams that are not held: which were used, and which the client cannot know to be over. */
export class StreamIds {
  #last = 0
  /** Bit n: whether stream `#last - 2n` was opened. Those in between were passed over. */
  #recent = 0
  #ignored: Set<number> | null = null

  get last(): number {
    return this.#last
  }

  isIdle(id: number): boolean {
    return id > this.#last
  }

  /** A new request, which must come in order (RFC 9113, 5.1.1). */
  open(id: number): void {
    if (id % 2 === 0) throw new Http2Error(errorCodes.protocolError, 'A client opened an even stream')
    const distance = (id - this.#last) / 2
    if (distance <= 0) {
      const wasPassedOver = distance > -32 && (this.#recent & (1 << -distance)) === 0
      const code = wasPassedOver ? errorCodes.protocolError : errorCodes.streamClosed
      throw new Http2Error(code, 'A request came on a stream that is over')
    }
    this.#recent = distance >= 32 ? 1 : (this.#recent << distance) | 1
    this.#last = id
  }

  requireOpened(id: number): void {
    if (this.isIdle(id)) throw new Http2Error(errorCodes.protocolError, 'A frame came on an idle stream')
  }

  /** For frames that are only allowed on streams that are open, or that we have reset. */
  requireIgnored(id: number): void {
    this.requireOpened(id)
    if (!this.isIgnored(id)) throw new Http2Error(errorCodes.streamClosed, 'A frame came on a closed stream')
  }

  isIgnored(id: number): boolean {
    return this.#ignored?.has(id) ?? false
  }

  ignore(id: number): void {
    this.#ignored ??= new Set()
    this.#ignored.add(id)
    if (this.#ignored.size <= maxIgnored) return
    const [oldest = 0] = this.#ignored
    this.#ignored.delete(oldest)
  }
}
