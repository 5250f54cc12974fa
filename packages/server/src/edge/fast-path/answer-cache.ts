import type { Duplex } from 'node:stream'
import type { Content } from '../assets/content-cache.ts'
import { type Reply, responseHead } from '../assets/reply.ts'
import type { CacheGeneration } from '../cache/invalidation.ts'
import { type RequestHead, readRequestHead } from './request-head.ts'

/** A reply and the bytes of its body, which are in memory. */
export interface ReadyAnswer {
  readonly reply: Reply
  readonly content: Content | Uint8Array
  /** The answer may be reused until it is stale. Without one it is never reused. */
  readonly generation?: CacheGeneration | null
}

const KiB = 1024
const longestWhole = 128 * KiB
const mostKept = 16 * 1024 * KiB

/**
 * Writes answers to a socket. Those that are given again within a second differ in nothing, not even in their Date,
 * so the bytes are made once and kept until the second is over; replies of files are the same value every time.
 */
export class AnswerWriter {
  readonly #now: () => number
  readonly #wholes = new Map<Reply, Buffer>()
  #kept = 0
  #second = 0
  #date = ''

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** What `write` of the socket says: false when it should be let drain. */
  write(socket: Duplex, answer: ReadyAnswer, keepAlive: boolean): boolean {
    const { reply, content } = answer
    const whole = keepAlive ? this.wholeOf(answer) : null
    if (whole !== null) return socket.write(whole)
    this.#tick()
    socket.cork()
    socket.write(responseHead(reply, this.#date, keepAlive), 'latin1')
    const isTaken = socket.write(content, 'latin1')
    socket.uncork()
    return isTaken
  }

  /** All its bytes, for a connection that goes on; null where they are too many to be kept together. */
  wholeOf({ reply, content }: ReadyAnswer): Buffer | null {
    this.#tick()
    if (content.length > longestWhole || isPart(reply)) return null
    return this.#wholes.get(reply) ?? this.#keep(reply, content)
  }

  #keep(reply: Reply, content: Content | Uint8Array): Buffer {
    const head = responseHead(reply, this.#date, true)
    const whole =
      typeof content === 'string'
        ? Buffer.from(head + content, 'latin1')
        : Buffer.concat([Buffer.from(head, 'latin1'), content])
    if (this.#kept + whole.length > mostKept) this.#forget()
    this.#wholes.set(reply, whole)
    this.#kept += whole.length
    return whole
  }

  #tick(): void {
    const now = this.#now()
    const second = Math.floor(now / 1000)
    if (second === this.#second) return
    this.#second = second
    this.#date = new Date(now).toUTCString()
    this.#forget()
  }

  #forget(): void {
    this.#wholes.clear()
    this.#kept = 0
  }
}

function isPart({ body }: Reply): boolean {
  return body.kind === 'blob' && body.range !== null
}

/** What is longer is answered as well, and not kept. */
const longestContent = 16 * 1024

/** A request by its bytes, read once, and what it was answered with: many clients say the same, and say it again. */
export class CachedRequest {
  /** One head with its empty line, one character a byte. */
  readonly text: string
  /** Null: for node:http to read. */
  readonly head: RequestHead | null
  #answer: ReadyAnswer | null = null
  #servername: string | null = null

  constructor(text: string) {
    this.text = text
    this.head = readRequestHead(text)
  }

  /** Null: it was not answered on a connection for this name, or things have changed since. */
  answerFor(servername: string | null): ReadyAnswer | null {
    const answer = this.#answer
    return answer?.generation?.isStale === false && servername === this.#servername ? answer : null
  }

  keep(answer: ReadyAnswer, servername: string | null): void {
    this.#answer = answer.content.length <= longestContent ? answer : null
    this.#servername = servername
  }
}
