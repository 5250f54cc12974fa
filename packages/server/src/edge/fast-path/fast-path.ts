import type { Duplex } from 'node:stream'
import { memoize } from '../../kernel/memoize.ts'
import { closeLingering, ignoreError } from '../accept/close-connection.ts'
import { servernameOf } from '../sites/host.ts'
import { AnswerWriter, CachedRequest, type ReadyAnswer } from './answer-cache.ts'
import {
  createBatchedWriter,
  createInPlaceReader,
  type DirectWriter,
  type OpenDirectWriter,
  type ReadInPlace,
} from './fast-sockets.ts'
import type { RequestHead } from './request-head.ts'

/** A promise where it is worth asking again once that has settled; null where node:http must see to it. */
export type FastPathAnswer = ReadyAnswer | Promise<unknown> | null

export interface FastPathParts {
  /** `servername`: the name that the TLS handshake was for; null over plain HTTP. */
  answer: (request: RequestHead, servername: string | null) => FastPathAnswer
  /** Takes a connection for the rest of its life. What the lane did not answer is still to be read from it. */
  handOver: (socket: Duplex) => void
}

export interface FastPath {
  accept(socket: Duplex): void
  /** Answers what is asked from now on as the last request of its connection. */
  drain(): void
  /** Ends the connections of the lane, each after what it was answered; one that waits is left to node:http. */
  close(): void
}

/**
 * Answers plain requests for what is in memory straight on the socket. Whatever is not beyond doubt goes to
 * node:http and its connection with it, so that no request is ever read by two parsers in part.
 */
export function createFastPath({ answer, handOver }: FastPathParts): FastPath {
  const connections = new Set<FastPathConnection>()
  const writer = new AnswerWriter()
  const readInPlace = createInPlaceReader()
  const openOutlet = createBatchedWriter()
  // A client says nearly the same from request to request, and many clients say the same.
  const know = memoize(1000, (text) => new CachedRequest(text), longestKept)
  const life = { isEnding: false }
  return {
    accept(socket) {
      const leave = () => connections.delete(connection)
      const connection = new FastPathConnection(socket, {
        answer,
        handOver,
        writer,
        readInPlace,
        openOutlet,
        know,
        life,
        leave,
      })
      connections.add(connection)
    },
    drain() {
      life.isEnding = true
    },
    close() {
      life.isEnding = true
      for (const connection of connections) connection.close()
    },
  }
}

/** For the site, then for the content. What is not there after that has its reasons, which node:http's way tells. */
const mostWaits = 2

/** Heads are kept up to this length: those of nearly everybody. */
const longestKept = 1024

/** What a socket takes at once, with hardly an exception. More goes by its stream, which can tell how it gets on. */
const longestDirectWrite = 20 * 1024

interface ConnectionParts extends FastPathParts {
  writer: AnswerWriter
  readInPlace: ReadInPlace
  openOutlet: OpenDirectWriter
  know: (text: string) => CachedRequest
  /** Whether the lane takes what it is asked now, and no more. */
  life: { readonly isEnding: boolean }
  leave: () => void
}

/** By the first letter of GET and HEAD: the 64 KiB that an upload begins with need not become a string. */
function mayBeAnswered(first: number | undefined): boolean {
  return first === 0x47 || first === 0x48
}

class FastPathConnection {
  readonly #socket: Duplex
  readonly #parts: ConnectionParts
  readonly #servername: string | null
  readonly #outlet: DirectWriter | null
  /** What was not answered yet because something is being loaded for it. */
  #waiting: string | null = null
  #last: CachedRequest | null = null
  /** Whether what is read next is next in order: nothing waits in the stream, and nothing is to wait there. */
  #isNext: boolean
  /** Whether the client has yet to take what it was given. */
  #isBehind = false

  constructor(socket: Duplex, parts: ConnectionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#servername = servernameOf(socket)
    this.#isNext = socket.readableLength === 0
    this.#outlet = parts.openOutlet(socket)
    parts.readInPlace(socket, this.#readInPlace)
    socket.on('data', this.#read)
    socket.on('drain', this.#resume)
    socket.on('end', this.#finish)
    socket.on('error', ignoreError)
    socket.on('close', this.#leave)
  }

  close(): void {
    if (this.#waiting !== null) this.#handOver(this.#waiting)
    // What was asked already is answered once the client has taken what comes before.
    else if (!this.#isBehind || this.#socket.readableLength === 0) this.#end()
  }

  /** Does not wait for the other side to close as well: it may never do. */
  #end(): void {
    const socket = this.#socket
    this.#stopReading()
    const end = this.#parts.life.isEnding
      ? () => closeLingering(socket)
      : () => socket.end(() => socket.destroy())
    this.#afterAll(end)
  }

  readonly #read = (chunk: Buffer): void => {
    this.#isNext = this.#socket.readableLength === 0
    this.#hear(chunk.toString('latin1'))
  }

  readonly #readInPlace = (buffer: Buffer, length: number): boolean => {
    if (!this.#isNext) return false
    if (!mayBeAnswered(buffer[0]) && this.#isReady) {
      this.#handOver('')
      return false
    }
    this.#hear(buffer.toString('latin1', 0, length))
    return true
  }

  /** Nothing is owed to the client or waits to be read. */
  get #isReady(): boolean {
    return this.#waiting === null && !this.#isBehind && this.#outlet?.isIdle !== false
  }

  /** One character a byte. */
  #hear(text: string): void {
    if (this.#isBehind) this.#readLater(text)
    else if (this.#waiting === null) this.#answerAll(text, 0)
    else this.#handOver(this.#waiting + text)
  }

  /** The way of nearly all requests: alone in what was read. Says whether it went so. */
  #giveByTurn(known: CachedRequest | null, answer: FastPathAnswer): boolean {
    if (
      known?.head?.keepAlive !== true ||
      this.#parts.life.isEnding ||
      answer === null ||
      answer instanceof Promise
    )
      return false
    if (this.#outlet === null || answer.content.length > longestDirectWrite) return false
    // What the stream has yet to write comes first.
    if (this.#socket.writableLength > 0) return false
    const whole = this.#parts.writer.wholeOf(answer)
    return whole !== null && this.#outlet.give(whole)
  }

  /** What is next to be written by the stream is to come after what was given past it. */
  #hearLater(text: string): void {
    this.#isBehind = true
    this.#readLater(text)
    this.#afterAll(this.#resume)
  }

  #answerAll(text: string, waits: number): void {
    const socket = this.#socket
    let at = 0
    while (at < text.length) {
      const end = text.indexOf('\r\n\r\n', at) + 4
      const known = end < 4 ? null : this.#know(text.slice(at, end))
      const answer = known === null ? null : this.#answer(known)
      if (at === 0 && end === text.length && this.#giveByTurn(known, answer)) return
      if (this.#outlet?.isIdle === false) {
        this.#hearLater(text.slice(at))
        return
      }
      if (known?.head == null || answer === null) {
        this.#handOver(text.slice(at))
        return
      }
      if (answer instanceof Promise) {
        this.#answerAfter(answer, text.slice(at), at === 0 ? waits : 0)
        return
      }
      at = end
      const keepAlive = known.head.keepAlive && (!this.#parts.life.isEnding || at < text.length)
      // More was asked in the same breath, so the answers leave together.
      if (at < text.length && socket.writableCorked === 0) socket.cork()
      const keepsUp = this.#give(answer, keepAlive)
      if (!keepAlive) {
        this.#end()
        return
      }
      if (!keepsUp) {
        this.#isBehind = true
        if (at < text.length) this.#readLater(text.slice(at))
        return
      }
    }
    socket.uncork()
  }

  #know(text: string): CachedRequest {
    if (this.#last?.text === text) return this.#last
    const known = this.#parts.know(text)
    this.#last = text.length <= longestKept ? known : null
    return known
  }

  #answer(known: CachedRequest): FastPathAnswer {
    const { head } = known
    if (head === null) return null
    const before = known.answerFor(this.#servername)
    if (before !== null) return before
    const answer = this.#parts.answer(head, this.#servername)
    if (answer !== null && !(answer instanceof Promise)) known.keep(answer, this.#servername)
    return answer
  }

  /** Reading goes on meanwhile, so that it is seen when the client leaves. */
  #answerAfter(loading: Promise<unknown>, unread: string, waits: number): void {
    this.#socket.uncork()
    this.#waiting = unread
    const goOn = () => {
      if (this.#waiting !== unread) return
      this.#waiting = null
      this.#answerAll(unread, waits + 1)
    }
    loading.then(goOn, goOn)
    if (waits === mostWaits) this.#handOver(unread)
  }

  /** Whether the client takes what it is given, after all of it was offered. */
  #give(answer: ReadyAnswer, keepAlive: boolean): boolean {
    const socket = this.#socket
    if (this.#parts.writer.write(socket, answer, keepAlive)) return true
    socket.uncork()
    return socket.writableLength === 0
  }

  /** Who does not read is not read from: what else they ask stays where it is until the socket drains. */
  #readLater(unread: string): void {
    this.#isNext = false
    this.#socket.pause()
    this.#socket.unshift(unread, 'latin1')
  }

  #handOver(unread: string): void {
    const socket = this.#socket
    socket.uncork()
    this.#stopReading()
    socket.off('error', ignoreError)
    socket.off('close', this.#leave)
    this.#leave()
    this.#parts.handOver(socket)
    if (unread !== '') socket.unshift(unread, 'latin1')
  }

  #stopReading(): void {
    this.#waiting = null
    this.#isNext = false
    this.#socket.off('data', this.#read)
    this.#socket.off('drain', this.#resume)
    this.#socket.off('end', this.#finish)
  }

  readonly #resume = (): void => {
    this.#isBehind = false
    this.#socket.resume()
  }

  /** As node:http does: who leaves before the answer is there does not get it. */
  readonly #finish = (): void => {
    this.#waiting = null
    this.#afterAll(() => this.#socket.end())
  }

  #afterAll(act: () => void): void {
    if (this.#outlet === null) act()
    else this.#outlet.afterAll(act)
  }

  readonly #leave = (): void => {
    this.#waiting = null
    this.#parts.leave()
  }
}
