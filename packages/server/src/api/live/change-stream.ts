import { Readable } from 'node:stream'

export interface ChangeStreamTimes {
  /** Interval of the comment that keeps the connection alive. */
  heartbeatEvery: number
  /** At most one event in this time; changes in between are combined into the next one. */
  pace: number
  /** A stream ends after this; the browser reconnects automatically. */
  maxDuration: number
}

/** Unread bytes at which we drop a client. They last for minutes, so it has stopped reading. */
const maxUnread = 4 * 1024

/** Milliseconds after which a browser reconnects. */
const reconnectDelay = 1_000

/** Server-sent events for one client: that it is connected, and that something changed, but never what. */
export class ChangeStream extends Readable {
  readonly #pace: number
  readonly #heartbeat: NodeJS.Timeout
  readonly #end: NodeJS.Timeout
  #pause: NodeJS.Timeout | undefined
  #isPending = false
  #lastId = 0
  #hasEnded = false

  /** `onHeartbeat` may end the stream. */
  constructor({ heartbeatEvery, pace, maxDuration }: ChangeStreamTimes, onHeartbeat: () => void) {
    super()
    this.#pace = pace
    this.#heartbeat = setInterval(() => {
      this.#send(':\n\n')
      onHeartbeat()
    }, heartbeatEvery)
    this.#end = setTimeout(() => this.end(), maxDuration)
    this.#send(`retry: ${reconnectDelay}\n${this.#event('hello')}`)
  }

  sendChange(): void {
    if (this.#hasEnded) return
    if (this.#pause !== undefined) {
      this.#isPending = true
      return
    }
    this.#pause = setTimeout(() => this.#resume(), this.#pace)
    this.#send(this.#event('changed'))
  }

  end(): void {
    if (this.#hasEnded) return
    this.#stop()
    this.push(null)
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stop()
    done(error)
  }

  #resume(): void {
    this.#pause = undefined
    if (!this.#isPending) return
    this.#isPending = false
    this.sendChange()
  }

  #event(name: 'hello' | 'changed'): string {
    return `event: ${name}\nid: ${this.#lastId++}\ndata: {}\n\n`
  }

  #send(text: string): void {
    this.push(text)
    if (this.readableLength > maxUnread) this.destroy()
  }

  #stop(): void {
    this.#hasEnded = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#end)
    clearTimeout(this.#pause)
  }
}
