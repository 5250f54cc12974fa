import { Readable } from 'node:stream'

export interface ChangeStreamTimes {
  /** A comment that keeps the connection alive. */
  heartbeatEvery: number
  /** At most one change is told in this time; those between are told together at its end. */
  pace: number
  /** A stream ends by then, whoever listens; the browser opens the next one by itself. */
  longest: number
}

/** Bytes that may wait for a reader. They would do for minutes: one who lets them wait does not read. */
const mostUnread = 4 * 1024

/** Milliseconds after which a browser comes back. */
const comeBackAfter = 1_000

/** What one listener is told, as server-sent events: that it is heard, and that something changed, never what. */
export class ChangeStream extends Readable {
  readonly #pace: number
  readonly #heartbeat: NodeJS.Timeout
  readonly #end: NodeJS.Timeout
  #resting: NodeJS.Timeout | undefined
  #owed = false
  #told = 0
  #isOver = false

  /** `onHeartbeat` may end the stream. */
  constructor({ heartbeatEvery, pace, longest }: ChangeStreamTimes, onHeartbeat: () => void) {
    super()
    this.#pace = pace
    this.#heartbeat = setInterval(() => {
      this.#send(':\n\n')
      onHeartbeat()
    }, heartbeatEvery)
    this.#end = setTimeout(() => this.end(), longest)
    this.#send(`retry: ${comeBackAfter}\n${this.#event('hello')}`)
  }

  tellChange(): void {
    if (this.#isOver) return
    if (this.#resting !== undefined) {
      this.#owed = true
      return
    }
    this.#resting = setTimeout(() => this.#goOn(), this.#pace)
    this.#send(this.#event('changed'))
  }

  end(): void {
    if (this.#isOver) return
    this.#stop()
    this.push(null)
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stop()
    done(error)
  }

  #goOn(): void {
    this.#resting = undefined
    if (!this.#owed) return
    this.#owed = false
    this.tellChange()
  }

  #event(name: 'hello' | 'changed'): string {
    return `event: ${name}\nid: ${this.#told++}\ndata: {}\n\n`
  }

  #send(text: string): void {
    this.push(text)
    if (this.readableLength > mostUnread) this.destroy()
  }

  #stop(): void {
    this.#isOver = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#end)
    clearTimeout(this.#resting)
  }
}
