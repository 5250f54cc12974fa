import type { Stream } from './stream.ts'

/**
 * The streams of a connection that have something to send. The most urgent come first (RFC 9218, 10); of one urgency,
 * incremental ones take turns with each other and with the first that is not, which the others of its kind wait for.
 */
export class SendQueue {
  /** An array for the reason that `StreamList` gives. */
  readonly #streams: Stream[] = []
  #turn = 0

  get size(): number {
    return this.#streams.length
  }

  /** A stream that is not in it. */
  add(stream: Stream): void {
    this.#streams.push(stream)
  }

  delete(stream: Stream): void {
    const at = this.#streams.indexOf(stream)
    if (at >= 0) this.#streams.splice(at, 1)
  }

  /** The stream whose turn it is, of those that can send now. A connection has at most a hundred to look at. */
  next(canSend: (stream: Stream) => boolean): Stream | null {
    let urgency = Number.POSITIVE_INFINITY
    let first: Stream | null = null
    let shared: Stream | null = null
    for (const stream of this.#streams) {
      const { priority } = stream
      if (priority.urgency > urgency || !canSend(stream)) continue
      if (priority.urgency < urgency) {
        urgency = priority.urgency
        first = null
        shared = null
      }
      if (priority.incremental) {
        if (shared === null || stream.servedAt < shared.servedAt) shared = stream
      } else if (first === null || stream.id < first.id) first = stream
    }
    const next = first === null || (shared !== null && shared.servedAt < first.servedAt) ? shared : first
    if (next !== null) next.servedAt = ++this.#turn
    return next
  }
}
