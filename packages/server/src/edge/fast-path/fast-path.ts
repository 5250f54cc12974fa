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

/** A promise means: try again once it has settled. Null leaves the request to node:http. */
export type FastPathAnswer = ReadyAnswer | Promise<unknown> | null

export interface FastPathParts {
  /** `servername` (SNI) is null over plain HTTP. */
  answer: (request: RequestHead, servername: string | null) => FastPathAnswer
  /** Takes over a connection for good, with everything that was not answered still unread. */
  handOver: (socket: Duplex) => void
}

export interface FastPath {
  accept(socket: Duplex): void
  /** From now on, answers each request as the last one of its connection. */
  drain(): void
  /** Ends connections after what was answered; those that wait for a load go to node:http. */
  close(): void
}

/**
 * Answers simple requests for cached content directly on the socket. Anything doubtful goes to node:http together with
 * its connection, so that no request is ever read by two parsers.
 */
export function createFastPath({ answer, handOver }: FastPathParts): FastPath {
  const connections = new Set<FastPathConnection>()
  const writer = new AnswerWriter()
  const readInPlace = createInPlaceReader()
  const openWriter = createBatchedWriter()
  // Request heads repeat, within a connection and between clients.
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
        openWriter,
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

/** One wait for the site, one for the content, then fall back to node:http. */
const mostWaits = 2

/** Longer heads are rare, and not cached. */
const longestKept = 1024

/** What a socket nearly always accepts at once. Larger answers go through the stream, which has backpressure. */
const longestDirectWrite = 20 * 1024

interface ConnectionParts extends FastPathParts {
  writer: AnswerWriter
  readInPlace: ReadInPlace
  openWriter: OpenDirectWriter
  know: (text: string) => CachedRequest
  /** Whether each request is now the last of its connection. */
  life: { readonly isEnding: boolean }
  leave: () => void
}

/** Checks for the G of GET or H of HEAD, so that the first 64 KiB of an upload need not become a string. */
function mayBeAnswered(first: number | undefined): boolean {
  return first === 0x47 || first === 0x48
}

class FastPathConnection {
  readonly #socket: Duplex
  readonly #parts: ConnectionParts
  readonly #servername: string | null
  readonly #direct: DirectWriter | null
  /** Unanswered input that waits for a load. */
  #waiting: string | null = null
  #last: CachedRequest | null = null
  /** Whether the next read is next in order, with nothing waiting in the stream. */
  #isNext: boolean
  /** Whether the client has unread answers. */
  #isBehind = false

  constructor(socket: Duplex, parts: ConnectionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#servername = servernameOf(socket)
    this.#isNext = socket.readableLength === 0
    this.#direct = parts.openWriter(socket)
    parts.readInPlace(socket, this.#readInPlace)
    socket.on('data', this.#read)
    socket.on('drain', this.#resume)
    socket.on('end', this.#finish)
    socket.on('error', ignoreError)
    socket.on('close', this.#leave)
  }

  close(): void {
    if (this.#waiting !== null) this.#handOver(this.#waiting)
    // Requests already received are answered once the client has read the answers before them.
    else if (!this.#isBehind || this.#socket.readableLength === 0) this.#end()
  }

  /** Does not wait for the client to close too: it may never do so. */
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
    this.#receive(chunk.toString('latin1'))
  }

  readonly #readInPlace = (buffer: Buffer, length: number): boolean => {
    if (!this.#isNext) return false
    if (!mayBeAnswered(buffer[0]) && this.#isReady) {
      this.#handOver('')
      return false
    }
    this.#receive(buffer.toString('latin1', 0, length))
    return true
  }

  /** No answer is pending, and nothing waits to be read. */
  get #isReady(): boolean {
    return this.#waiting === null && !this.#isBehind && this.#direct?.isIdle !== false
  }

  /** One character per byte. */
  #receive(text: string): void {
    if (this.#isBehind) this.#readLater(text)
    else if (this.#waiting === null) this.#answerAll(text, 0)
    else this.#handOver(this.#waiting + text)
  }

  /** For nearly all requests: a single one per read. Returns whether it was answered this way. */
  #writeDirectly(known: CachedRequest | null, answer: FastPathAnswer): boolean {
    if (
      known?.head?.keepAlive !== true ||
      this.#parts.life.isEnding ||
      answer === null ||
      answer instanceof Promise
    )
      return false
    if (this.#direct === null || answer.content.length > longestDirectWrite) return false
    // What the stream still has to write comes first.
    if (this.#socket.writableLength > 0) return false
    const whole = this.#parts.writer.wholeOf(answer)
    return whole !== null && this.#direct.tryWrite(whole)
  }

  /** The stream may only write after what was written directly. */
  #receiveLater(text: string): void {
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
      if (at === 0 && end === text.length && this.#writeDirectly(known, answer)) return
      if (this.#direct?.isIdle === false) {
        this.#receiveLater(text.slice(at))
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
      // There are more requests in this read, so the answers are sent together.
      if (at < text.length && socket.writableCorked === 0) socket.cork()
      const keepsUp = this.#write(answer, keepAlive)
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

  /** Keeps reading meanwhile, to notice when the client leaves. */
  #answerAfter(loading: Promise<unknown>, unread: string, waits: number): void {
    this.#socket.uncork()
    this.#waiting = unread
    const proceed = () => {
      if (this.#waiting !== unread) return
      this.#waiting = null
      this.#answerAll(unread, waits + 1)
    }
    loading.then(proceed, proceed)
    if (waits === mostWaits) this.#handOver(unread)
  }

  /** Returns whether the client keeps up. */
  #write(answer: ReadyAnswer, keepAlive: boolean): boolean {
    const socket = this.#socket
    if (this.#parts.writer.write(socket, answer, keepAlive)) return true
    socket.uncork()
    return socket.writableLength === 0
  }

  /** A client that does not read is not read from until the socket drains. */
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

  /** Like node:http: a client that ends its side before the answer does not get it. */
  readonly #finish = (): void => {
    this.#waiting = null
    this.#afterAll(() => this.#socket.end())
  }

  #afterAll(act: () => void): void {
    if (this.#direct === null) act()
    else this.#direct.afterAll(act)
  }

  readonly #leave = (): void => {
    this.#waiting = null
    this.#parts.leave()
  }
}
