import type { Stream } from './stream.ts'

/**
 * The streams of a connection that are not over, at most a hundred. An array: streams come and go all the time, which
 * would give a Map one table after the other, and V8 keeps all of those until a full collection.
 */
export class StreamList {
  /** By id, which only grows. */
  readonly #streams: Stream[] = []

  get size(): number {
    return this.#streams.length
  }

  get(id: number): Stream | undefined {
    const streams = this.#streams
    // Mostly it is a new stream, with a higher id than all others.
    for (let at = streams.length - 1; at >= 0; at--) {
      const stream = streams[at] as Stream
      if (stream.id <= id) return stream.id === id ? stream : undefined
    }
    return undefined
  }

  /** A stream with a higher id than all before. */
  add(stream: Stream): void {
    this.#streams.push(stream)
  }

  /** Returns false if it is not one of them. */
  delete(stream: Stream): boolean {
    const at = this.#streams.indexOf(stream)
    if (at >= 0) this.#streams.splice(at, 1)
    return at >= 0
  }

  /** Those that are open now, so that some may end meanwhile. */
  all(): Stream[] {
    return this.#streams.slice()
  }

  clear(): void {
    this.#streams.length = 0
  }
}
