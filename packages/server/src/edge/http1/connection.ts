import { type ActivityMonitor, monitorBytes } from '../accept/connection-limits.ts'
import { type Body, isTemporary } from '../assets/body.ts'
import { methodNotAllowedPage, misdirectedPage, unavailablePage } from '../assets/pages.ts'
import { pieceSize } from '../assets/pieces.ts'
import type { Reply } from '../assets/reply.ts'
import { ignoreError } from '../sockets/close-connection.ts'
import type { SiteSocket } from '../sockets/site-socket.ts'
import { type AnsweredRequest, type Http1Answer, unreadable } from './answer.ts'
import { keepsUp } from './answer-buffer.ts'
import { BodyInPieces } from './body-in-pieces.ts'
import { ConnectedClient } from './connected-client.ts'
import { type Http1Context, perTurn } from './context.ts'
import { HeadReader } from './head-reader.ts'
import { forMethod, hostIn, type RefusalStatus, refusal, refusalOf } from './refusals.ts'
import type { RequestHead } from './request-head.ts'
import { type HeadBytes, headBytesOf, headEnding } from './response-head.ts'

/**
 * Reads requests from a socket and answers them one after the other (RFC 9112, 9.3.2). While an answer is under way,
 * hardly anything is read.
 */
export class Http1Connection implements ActivityMonitor {
  readonly #socket: SiteSocket
  readonly #servername: string | null
  readonly #context: Http1Context
  readonly #client: ConnectedClient
  readonly #reader: HeadReader
  #hasAnswered = false
  /** An answer is under way, or the client does not keep up. */
  #isBusy = false
  /** The client has ended its side. */
  #isEnded = false
  /** No request is read any more. */
  #isDone = false
  #isBehind = false
  /** What was read is answered at the end of this turn. */
  #isDue = false
  #headTimer: NodeJS.Timeout | null = null
  #pieces: BodyInPieces | null = null
  /** Watches the connection once it belongs to the platform. */
  #afterHandOver: ActivityMonitor | null = null

  constructor(socket: SiteSocket, servername: string | null, context: Http1Context) {
    this.#socket = socket
    this.#servername = servername
    this.#context = context
    this.#client = new ConnectedClient(socket.stream, context.proxies)
    this.#reader = new HeadReader(context.limits.maxHeaderSize, this.#client.proxy)
    socket.onRoom = this.#onRoom
    socket.read(this.#receive)
    if (servername !== null) socket.readInPlace()
    socket.stream.on('end', this.#finish)
    socket.stream.on('error', ignoreError)
    socket.stream.on('close', this.#leave)
  }

  /** Ends the connection now if it is idle, else after its last answer. */
  close(): void {
    if (!this.#isBusy && !this.#isDone && !this.#isDue) this.#end(false)
  }

  /** Counts bytes in both directions, so it catches stalled connections but not slow ones. */
  checkActivity(): boolean {
    if (this.#afterHandOver !== null) return this.#afterHandOver.checkActivity()
    const hasMoved = this.#socket.takeMovement()
    if (!hasMoved) {
      this.#pieces?.rest()
      this.#reader.forget()
    }
    return hasMoved
  }

  end(): void {
    this.#socket.stream.destroy()
  }

  readonly #receive = (bytes: Buffer, length: number): void => {
    this.#reader.add(bytes, length)
    if (this.#isBusy) this.#socket.stream.pause()
    else if (this.#reader.length > perTurn.unread) this.#answerDue()
    else if (!this.#isDue) {
      this.#isDue = true
      this.#socket.turn.answerLater(this.#answerDue)
    }
  }

  readonly #answerDue = (): void => {
    this.#isDue = false
    if (!this.#isBusy && !this.#isDone) this.#proceed()
  }

  /** Answers what was received, as far as that is possible without waiting. */
  readonly #proceed = (): void => {
    const { out, stage } = this.#context
    this.#isBusy = false
    // The last answers were sent after they were made.
    if (!keepsUp(this.#socket)) this.#waitForRoom()
    for (let count = 0; !this.#isBusy && !this.#isDone && !this.#reader.isEmpty; count++) {
      if (count === perTurn.requests) {
        this.#isBusy = true
        setImmediate(this.#proceed)
      } else if (!this.#readNext()) break
      else if (out.length > perTurn.delayed) this.#send()
    }
    if (this.#isBusy || this.#isDone || stage !== 'open') this.#send()
    else if (!out.sendLater(this.#socket)) this.#waitForRoom()
    if (this.#isBusy || this.#isDone) return
    if (this.#isEnded) this.#finish()
    else if (stage === 'closing') this.#end(false)
    else if (this.#socket.stream.isPaused()) this.#socket.stream.resume()
  }

  /** Returns false if the next head is incomplete. */
  #readNext(): boolean {
    const head = this.#reader.next(this.#client.address)
    if (head === null) {
      if (!this.#reader.isEmpty) {
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
    // It can be handed over no more.
    if (!this.#hasAnswered && this.#servername === null && !this.#client.isProxy) this.#socket.readInPlace()
    this.#deliver(refusalOf(head) ?? reply ?? forMethod(head.method, misdirectedPage), head)
  }

  /** The connection ends, because nobody knows where the next request begins. */
  #refuse(status: RefusalStatus): void {
    if (!this.#hasAnswered && this.#mayHandOver) {
      const host = hostIn(this.#reader.unread.toString('latin1'))
      if (host === null || !this.#context.isSite(host)) {
        this.#handOver()
        return
      }
    }
    this.#deliver(refusal(status), unreadable)
  }

  #deliver(reply: Reply, request: AnsweredRequest): void {
    this.#hasAnswered = true
    const head = this.#headOf(reply)
    if (head === null) {
      this.#deliver(forMethod(request.method, unavailablePage), request)
      return
    }
    const answer = { head, request }
    if (reply.body.kind === 'none') {
      this.#endAnswer(this.#addHead(answer), request)
      return
    }
    const body = this.#context.answers.openBody(reply.body, this.#client.caller)
    if (!(body instanceof Promise)) this.#deliverBody(body, answer)
    else {
      const fail = (error: unknown) => this.#unavailable(error, request)
      this.#wait(body, (opened) => this.#deliverBody(opened, answer), fail)
    }
  }

  /** Null if they cannot be sent. */
  #headOf(reply: Reply): HeadBytes | null {
    try {
      return headBytesOf(reply)
    } catch (error) {
      this.#context.log.error({ err: error }, 'could not send the headers of an answer')
      return null
    }
  }

  #deliverBody(body: Body, answer: Http1Answer): void {
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
  #addHead({ head, request }: Http1Answer): boolean {
    const { out, stage } = this.#context
    const isLast = stage !== 'open' && this.#reader.isEmpty && this.#socket.stream.readableLength === 0
    const keepAlive = request.keepAlive && !request.hasBody && !head.closes && !isLast
    this.#context.answers.responses.count(head.status)
    out.add(this.#socket, head.bytes)
    out.add(this.#socket, headEnding(keepAlive))
    return keepAlive
  }

  #endAnswer(keepAlive: boolean, request: AnsweredRequest): void {
    if (!keepAlive) this.#end(request.hasBody)
  }

  #unavailable(error: unknown, request: AnsweredRequest): void {
    if (this.#isDone) return
    if (!isTemporary(error)) this.#logBroken(error)
    this.#deliver(forMethod(request.method, unavailablePage), request)
  }

  /** Nothing may follow a broken answer, or it could be taken for its rest. */
  #reset(error: unknown): void {
    if (this.#isDone) return
    this.#logBroken(error)
    this.#stopReading()
    if (this.#servername === null) this.#socket.stream.resetAndDestroy()
    else this.#socket.stream.destroy()
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
    this.#waitForRoom()
  }

  #waitForRoom(): void {
    this.#isBusy = true
    this.#isBehind = true
  }

  readonly #onRoom = (): void => {
    this.#pieces?.onRoom()
    if (!this.#isBehind || this.#isDone || !keepsUp(this.#socket)) return
    this.#isBehind = false
    this.#proceed()
  }

  /** Between two answers the connection of a proxy may change sides, that of anybody else only before the first. */
  get #mayHandOver(): boolean {
    if (this.#servername !== null || this.#socket.stream.readableEnded) return false
    return !this.#hasAnswered || this.#client.isProxy
  }

  #handOver(): void {
    this.#context.out.sendTo(this.#socket)
    this.#stopReading()
    // What was answered before comes first.
    this.#socket.afterAll(() => {
      const stream = this.#socket.handOver()
      stream.off('error', ignoreError)
      stream.off('close', this.#leave)
      this.#leave()
      this.#afterHandOver = monitorBytes(stream)
      this.#context.toPlatform(stream)
      stream.unshift(this.#reader.unread)
      if (stream.isPaused()) stream.resume()
    })
  }

  readonly #finish = (): void => {
    this.#isEnded = true
    if (this.#isBusy || this.#isDone || this.#isDue) return
    if (this.#reader.isEmpty) this.#end(false)
    else {
      this.#refuse(400)
      this.#send()
    }
  }

  #end(clientStillSends: boolean): void {
    if (this.#isDone) return
    this.#stopReading()
    this.#context.out.sendTo(this.#socket)
    if (clientStillSends) this.#context.dropInput(this.#socket, this.#client.caller)
    else this.#socket.closeLingering()
  }

  #stopReading(): void {
    this.#isDone = true
    this.#stopHeadTimer()
    this.#socket.stream.off('end', this.#finish)
  }

  #stopHeadTimer(): void {
    if (this.#headTimer === null) return
    clearTimeout(this.#headTimer)
    this.#headTimer = null
  }

  readonly #leave = (): void => {
    this.#isDone = true
    this.#pieces?.onRoom()
    this.#reader.forget()
    this.#stopHeadTimer()
  }
}
