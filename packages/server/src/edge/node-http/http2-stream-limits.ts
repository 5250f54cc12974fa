import { constants, type ServerHttp2Stream } from 'node:http2'
import { checksPerTimeout } from '../accept/connection-limits.ts'

export interface ResetLimits {
  /** Streams that a client may reset at once, and then per second. */
  resetBurst: number
  resetRate: number
}

/** A token bucket for stream resets: every request that is reset has cost us an answer. */
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

  tryReset(): boolean {
    const now = this.#now()
    const { resetBurst, resetRate } = this.#limits
    const regained = (Math.max(0, now - this.#asOf) / 1000) * resetRate
    this.#left = Math.min(resetBurst, this.#left + regained) - 1
    this.#asOf = now
    return this.#left >= 0
  }
}

/** How much a client has to read per idle timeout. */
const chunkSize = 64 * 1024

interface Progress {
  /** Whether the client has read something since the previous check. */
  hasMoved: boolean
  stalledChecks: number
}

/**
 * The open streams of a session. A stream is cancelled if its client does not read it, whatever else happens on the
 * connection: node's own stream timeout counts pings as activity.
 */
export class OpenStreams {
  readonly #streams = new Map<ServerHttp2Stream, Progress>()

  get size(): number {
    return this.#streams.size
  }

  add(stream: ServerHttp2Stream): void {
    const progress = { hasMoved: false, stalledChecks: 0 }
    this.#streams.set(stream, progress)
    stream.on('drain', () => {
      progress.hasMoved = true
    })
  }

  delete(stream: ServerHttp2Stream): void {
    this.#streams.delete(stream)
  }

  cancelStalled(): void {
    for (const [stream, progress] of this.#streams) {
      progress.stalledChecks = progress.hasMoved || isWaitingForUs(stream) ? 0 : progress.stalledChecks + 1
      progress.hasMoved = false
      if (progress.stalledChecks >= checksPerTimeout * chunksLeft(stream))
        stream.close(constants.NGHTTP2_CANCEL)
    }
  }
}

/** There is nothing to read yet. */
function isWaitingForUs(stream: ServerHttp2Stream): boolean {
  return stream.writableLength === 0 && !stream.writableEnded
}

/** One large write reports no progress until all of it was read, so more data gets more time. */
function chunksLeft(stream: ServerHttp2Stream): number {
  return Math.max(1, Math.ceil(stream.writableLength / chunkSize))
}
