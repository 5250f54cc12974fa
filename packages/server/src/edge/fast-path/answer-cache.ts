import type { Duplex } from 'node:stream'
import { type Reply, responseHead } from '../assets/reply.ts'
import type { CacheGeneration } from '../cache/invalidation.ts'
import { type RequestHead, readRequestHead } from './request-head.ts'

/** A reply and the cached bytes of its body. */
export interface ReadyAnswer {
  readonly reply: Reply
  readonly content: Buffer
  /** The answer may be reused until it is stale. Without one it is never reused. */
  readonly generation?: CacheGeneration | null
}

const KiB = 1024
const longestWhole = 128 * KiB
const mostKept = 16 * 1024 * KiB

/**
 * Writes answers to a socket. Within one second equal answers do not even differ in their Date, so their bytes are built
 * once and kept for that second. The reply for a file is the same object every time.
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

  /** Returns what the socket's `write` returns. */
  write(socket: Duplex, answer: ReadyAnswer, keepAlive: boolean): boolean {
    const { reply, content } = answer
    const whole = keepAlive ? this.wholeOf(answer) : null
    if (whole !== null) return socket.write(whole)
    this.#tick()
    socket.cork()
    socket.write(responseHead(reply, this.#date, keepAlive), 'latin1')
    const isTaken = socket.write(content)
    socket.uncork()
    return isTaken
  }

  /** All bytes of a keep-alive answer; null if there are too many to cache. */
  wholeOf({ reply, content }: ReadyAnswer): Buffer | null {
    this.#tick()
    if (content.length > longestWhole || isPart(reply)) return null
    return this.#wholes.get(reply) ?? this.#keep(reply, content)
  }

  #keep(reply: Reply, content: Buffer): Buffer {
    const head = responseHead(reply, this.#date, true)
    const whole = Buffer.concat([Buffer.from(head, 'latin1'), content])
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

/** Longer answers are not cached. */
const longestContent = 16 * 1024

/** A request head by its bytes, parsed once, and its answer. Heads repeat, within a connection and between clients. */
export class CachedRequest {
  /** One head with its empty line, one character per byte. */
  readonly text: string
  /** Null if only node:http can parse it. */
  readonly head: RequestHead | null
  #answer: ReadyAnswer | null = null
  #servername: string | null = null

  constructor(text: string) {
    this.text = text
    this.head = readRequestHead(text)
  }

  /** Null if there is none for this server name, or a change made it stale. */
  answerFor(servername: string | null): ReadyAnswer | null {
    const answer = this.#answer
    return answer?.generation?.isStale === false && servername === this.#servername ? answer : null
  }

  keep(answer: ReadyAnswer, servername: string | null): void {
    this.#answer = answer.content.length <= longestContent ? answer : null
    this.#servername = servername
  }
}
