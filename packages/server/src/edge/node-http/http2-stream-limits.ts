import { constants, type ServerHttp2Stream } from 'node:http2'
import { checksPerTimeout } from '../accept/connection-limits.ts'

export interface ResetLimits {
  /** Streams that a client may take back at once, and then by the second. */
  resetBurst: number
  resetRate: number
}

/** What a client still may take back: every request it does so with has cost us an answer. */
export class ResetLimiter {
  readonly #limits: ResetLimits
  readonly #now: () => number
  #left: number
  #asOf: number

  constructor(limits: ResetLimits, now: () => number = Date.now) {
    this.#limits = limits
    this.#now = now
    this.#left = limits.resetBurst
    this.#asOf = now()
  }

  /** Whether one more is within it. */
  take(): boolean {
    const now = this.#now()
    const { resetBurst, resetRate } = this.#limits
    const regained = (Math.max(0, now - this.#asOf) / 1000) * resetRate
    this.#left = Math.min(resetBurst, this.#left + regained) - 1
    this.#asOf = now
    return this.#left >= 0
  }
}

/** What has to be taken in the time that is given to who takes nothing. */
const pieceSize = 64 * 1024

interface Seen {
  /** Whether something was taken since the last look. */
  hasMoved: boolean
  unmoved: number
}

/**
 * The streams of a session that are not over. One whose client does not take what it asked for is ended, whatever else
 * moves on the connection: node's own timeout of a stream takes pings for a sign of life.
 */
export class OpenStreams {
  readonly #streams = new Map<ServerHttp2Stream, Seen>()

  get size(): number {
    return this.#streams.size
  }

  add(stream: ServerHttp2Stream): void {
    const seen = { hasMoved: false, unmoved: 0 }
    this.#streams.set(stream, seen)
    stream.on('drain', () => {
      seen.hasMoved = true
    })
  }

  delete(stream: ServerHttp2Stream): void {
    this.#streams.delete(stream)
  }

  look(): void {
    for (const [stream, seen] of this.#streams) {
      seen.unmoved = seen.hasMoved || isWaitingForUs(stream) ? 0 : seen.unmoved + 1
      seen.hasMoved = false
      if (seen.unmoved >= checksPerTimeout * chunksLeft(stream)) stream.close(constants.NGHTTP2_CANCEL)
    }
  }
}

/** Nothing is there to be taken yet. */
function isWaitingForUs(stream: ServerHttp2Stream): boolean {
  return stream.writableLength === 0 && !stream.writableEnded
}

/** What was written in one piece says nothing until all of it was taken, and the slow need longer for more. */
function chunksLeft(stream: ServerHttp2Stream): number {
  return Math.max(1, Math.ceil(stream.writableLength / pieceSize))
}
