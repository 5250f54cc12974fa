import type { Socket } from 'node:net'
import { QueueFullError } from '../../kernel/fair-queue.ts'
import { closeLingering, ignoreError } from '../accept/close-connection.ts'
import type { ActivityMonitor } from '../accept/connection-limits.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'
import type { Body } from '../assets/body.ts'
import { methodNotAllowedPage, misdirectedPage, unavailablePage } from '../assets/pages.ts'
import type { Reply } from '../assets/reply.ts'
import { BodyInPieces, pieceSize } from './body-in-pieces.ts'
import type { Http1Context } from './context.ts'
import { HeadReader } from './head-reader.ts'
import { forMethod, hostIn, type RefusalStatus, refusal, refusalOf } from './refusals.ts'
import type { RequestHead } from './request-head.ts'
import { type FieldBytes, fieldBytesOf, headEnding, statusLineOf } from './response-head.ts'

/** How many requests of one connection are answered before others get their turn. */
const requestsPerTurn = 32

/** What of a request matters for sending its answer. */
type Request = Pick<RequestHead, 'method' | 'keepAlive' | 'hasBody'>

interface Answer {
  readonly status: number
  readonly fields: FieldBytes
  readonly request: Request
}

/** Where the next request would begin is unknown, and the client may still be sending. */
const unreadable: Request = { method: '', keepAlive: false, hasBody: true }

/**
 * Reads requests from a socket and answers them one after the other (RFC 9112, 9.3.2). While an answer is under way,
 * hardly anything is read.
 */
export class Http1Connection implements ActivityMonitor {
  readonly #socket: Socket
  readonly #servername: string | null
  readonly #context: Http1Context
  readonly #reader: HeadReader
  #hasAnswered = false
  /** An answer is under way, or the client does not keep up. */
  #isBusy = false
  /** The client has ended its side. */
  #isEnded = false
  /** No request is read any more. */
  #isDone = false
  #isBehind = false
  #headTimer: NodeJS.Timeout | null = null
  #pieces: BodyInPieces | null = null
  #knownCaller: { caller: string | null } | null = null
  #moved = 0

  constructor(socket: Socket, servername: string | null, context: Http1Context) {
    this.#socket = socket
    this.#servername = servername
    this.#context = context
    this.#reader = new HeadReader(context.limits.maxHeaderSize)
    socket.on('data', this.#receive)
    socket.on('drain', this.#drained)
    socket.on('end', this.#finish)
    socket.on('error', ignoreError)
    socket.on('close', this.#leave)
  }

  /** Ends the connection now if it is idle, else after its last answer. */
  close(): void {
    if (!this.#isBusy && !this.#isDone) this.#end(false)
  }

  /** Counts bytes in both directions, so it catches stalled connections but not slow ones. */
  checkActivity(): boolean {
    const { bytesRead, bytesWritten, writableLength } = this.#socket
    const now = bytesRead + bytesWritten - writableLength
    const hasMoved = now !== this.#moved
    this.#moved = now
    if (!hasMoved) this.#pieces?.rest()
    return hasMoved
  }

  end(): void {
    this.#socket.destroy()
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#reader.add(chunk)
    if (this.#isBusy) this.#socket.pause()
    else this.#proceed()
  }

  /** Answers what was received, as far as that is possible without waiting. */
  readonly #proceed = (): void => {
    const { out, stage } = this.#context
    this.#isBusy = false
    // The last answers were sent after they were made.
    if (this.#socket.writableNeedDrain) this.#waitForDrain()
    for (let count = 0; !this.#isBusy && !this.#isDone && this.#reader.unread !== ''; count++) {
      if (count === requestsPerTurn) {
        this.#isBusy = true
        setImmediate(this.#proceed)
      } else if (!this.#readNext()) break
      else if (out.length > pieceSize) this.#send()
    }
    if (this.#isBusy || this.#isDone || stage !== 'open') this.#send()
    else if (!out.sendLater(this.#socket)) this.#waitForDrain()
    if (this.#isBusy || this.#isDone) return
    if (this.#isEnded) this.#finish()
    else if (stage === 'closing') this.#end(false)
    else if (this.#socket.isPaused()) this.#socket.resume()
  }

  /** Returns false if the next head is incomplete. */
  #readNext(): boolean {
    const head = this.#reader.next(this.#address)
    if (head === null) {
      if (this.#reader.unread !== '') {
        this.#headTimer ??= setTimeout(this.#refuseSlow, this.#context.limits.headersTimeout)
      }
      return false
    }
    this.#stopHeadTimer()
    if (typeof head === 'number') this.#refuse(head)
    else this.#answer(head)
    return true
  }

  readonly #refuseSlow = (): void => {
    this.#deliver(refusal(408), unreadable)
    this.#send()
  }

  readonly #address = (): string | undefined => this.#socket.remoteAddress

  #answer(head: RequestHead): void {
    // Nothing here is a tunnel, so there is no need to know the host.
    const answer =
      head.method === 'CONNECT' ? methodNotAllowedPage : this.#context.answers.answer(head, this.#servername)
    if (answer instanceof Promise) this.#wait(answer, (reply) => this.#reply(reply, head))
    else this.#reply(answer, head)
  }

  #reply(reply: Reply | null, head: RequestHead): void {
    if (this.#isDone) return
    if (reply === null && this.#mayHandOver) {
      this.#handOver()
      return
    }
    this.#reader.consume()
    this.#deliver(refusalOf(head) ?? reply ?? forMethod(head.method, misdirectedPage), head)
  }

  /** The connection ends, because nobody knows where the next request begins. */
  #refuse(status: RefusalStatus): void {
    if (!this.#hasAnswered && this.#mayHandOver) {
      const host = hostIn(this.#reader.unread)
      if (host === null || !this.#context.isSite(host)) {
        this.#handOver()
        return
      }
    }
    this.#deliver(refusal(status), unreadable)
  }

  #deliver(reply: Reply, request: Request): void {
    this.#hasAnswered = true
    const fields = this.#fieldsOf(reply)
    if (fields === null) {
      this.#deliver(forMethod(request.method, unavailablePage), request)
      return
    }
    const answer = { status: reply.status, fields, request }
    if (reply.body.kind === 'none') {
      this.#endAnswer(this.#addHead(answer), request)
      return
    }
    const body = this.#context.answers.openBody(reply.body, this.#caller)
    if (!(body instanceof Promise)) this.#deliverBody(body, answer)
    else {
      const fail = (error: unknown) => this.#unavailable(error, request)
      this.#wait(body, (opened) => this.#deliverBody(opened, answer), fail)
    }
  }

  /** Null if they cannot be sent. */
  #fieldsOf(reply: Reply): FieldBytes | null {
    try {
      return fieldBytesOf(reply)
    } catch (error) {
      this.#context.log.error({ err: error }, 'could not send the headers of an answer')
      return null
    }
  }

  #deliverBody(body: Body, answer: Answer): void {
    const { out } = this.#context
    const { request } = answer
    if (this.#isDone) {
      body.close()
      return
    }
    if (body.length === 0 || (body.bytes !== null && body.length <= pieceSize)) {
      const keepAlive = this.#addHead(answer)
      if (body.bytes !== null) out.add(this.#socket, body.bytes)
      body.close()
      this.#endAnswer(keepAlive, request)
      return
    }
    // What was answered before must not wait for a file to be read.
    out.sendTo(this.#socket)
    const pieces = new BodyInPieces(body, this.#socket, out)
    let keepAlive: boolean | null = null
    const sending = pieces.send(() => {
      keepAlive = this.#addHead(answer)
    })
    const fail = (error: unknown) =>
      keepAlive === null ? this.#unavailable(error, request) : this.#reset(error)
    this.#wait(sending, () => this.#endAnswer(keepAlive === true, request), fail)
    this.#pieces = pieces
  }

  /** Returns whether the connection is kept after this answer. */
  #addHead({ status, fields, request }: Answer): boolean {
    const { out, stage } = this.#context
    const isLast = stage !== 'open' && this.#reader.unread === '' && this.#socket.readableLength === 0
    const keepAlive = request.keepAlive && !request.hasBody && !fields.closes && !isLast
    out.add(this.#socket, statusLineOf(status))
    out.add(this.#socket, fields.bytes)
    out.add(this.#socket, headEnding(keepAlive))
    return keepAlive
  }

  #endAnswer(keepAlive: boolean, request: Request): void {
    if (!keepAlive) this.#end(request.hasBody)
  }

  #unavailable(error: unknown, request: Request): void {
    if (this.#isDone) return
    if (!(error instanceof QueueFullError)) this.#logBroken(error)
    this.#deliver(forMethod(request.method, unavailablePage), request)
  }

  /** Nothing may follow a broken answer, or it could be taken for its rest. */
  #reset(error: unknown): void {
    if (this.#isDone) return
    this.#logBroken(error)
    this.#stopReading()
    if (this.#servername === null) this.#socket.resetAndDestroy()
    else this.#socket.destroy()
  }

  #logBroken(error: unknown): void {
    this.#context.log.error({ err: error }, 'could not send published content')
  }

  /** Keeps everything else waiting until the promise is settled. */
  #wait<T>(
    promise: Promise<T>,
    then: (value: T) => void,
    fail: (error: unknown) => void = ignoreError,
  ): void {
    this.#isBusy = true
    const proceed = (act: () => void) => {
      this.#isBusy = false
      this.#pieces = null
      act()
      if (!this.#isBusy) this.#proceed()
    }
    promise.then(
      (value) => proceed(() => then(value)),
      (error: unknown) => proceed(() => fail(error)),
    )
  }

  #send(): void {
    if (this.#context.out.sendTo(this.#socket) || this.#isBusy || this.#isDone) return
    this.#waitForDrain()
  }

  #waitForDrain(): void {
    this.#isBusy = true
    this.#isBehind = true
  }

  readonly #drained = (): void => {
    if (!this.#isBehind) return
    this.#isBehind = false
    this.#proceed()
  }

  get #caller(): string | null {
    this.#knownCaller ??= {
      caller: callerUnlessProxy(this.#socket.remoteAddress ?? '', this.#context.isProxy),
    }
    return this.#knownCaller.caller
  }

  /** Between two answers the connection of a proxy may change sides, that of anybody else only before the first. */
  get #mayHandOver(): boolean {
    if (this.#servername !== null || this.#socket.readableEnded) return false
    return !this.#hasAnswered || this.#context.isProxy(this.#socket.remoteAddress ?? '')
  }

  #handOver(): void {
    const socket = this.#socket
    this.#context.out.sendTo(socket)
    this.#stopReading()
    socket.off('error', ignoreError)
    socket.off('close', this.#leave)
    this.#leave()
    this.#context.toPlatform(socket)
    socket.unshift(this.#reader.unread, 'latin1')
    if (socket.isPaused()) socket.resume()
  }

  readonly #finish = (): void => {
    this.#isEnded = true
    if (this.#isBusy || this.#isDone) return
    if (this.#reader.unread === '') this.#end(false)
    else {
      this.#refuse(400)
      this.#send()
    }
  }

  #end(clientStillSends: boolean): void {
    if (this.#isDone) return
    this.#stopReading()
    this.#context.out.sendTo(this.#socket)
    if (clientStillSends) this.#context.dropInput(this.#socket, this.#caller)
    else closeLingering(this.#socket)
  }

  #stopReading(): void {
    this.#isDone = true
    this.#stopHeadTimer()
    this.#socket.off('data', this.#receive)
    this.#socket.off('drain', this.#drained)
    this.#socket.off('end', this.#finish)
  }

  #stopHeadTimer(): void {
    if (this.#headTimer === null) return
    clearTimeout(this.#headTimer)
    this.#headTimer = null
  }

  readonly #leave = (): void => {
    this.#isDone = true
    this.#stopHeadTimer()
  }
}
