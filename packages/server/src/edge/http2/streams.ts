import { checksPerTimeout } from '../accept/connection-limits.ts'
import { fieldsFor, type ProxyFields } from '../accept/forwarded.ts'
import { misdirectedPage } from '../assets/pages.ts'
import { type Reply, withoutBody } from '../assets/reply.ts'
import type { ControlBudget } from './control-budget.ts'
import { earlyHints } from './early-hints.ts'
import type { FrameOutput } from './frames/frame-output.ts'
import type { PeerSettings } from './frames/peer-settings.ts'
import {
  defaultWindow,
  type ErrorCode,
  errorCodes,
  frameTypes,
  Http2Error,
  maxWindow,
} from './frames/protocol.ts'
import type { HeaderFields } from './hpack/fields.ts'
import type { Http2Shared } from './limits.ts'
import { defaultPriority, EarlyPriorities, type Priority, readPriority } from './priority.ts'
import { areTrailers, headTooLarge, readRequest, type StreamRequest } from './read-request.ts'
import { closeOpened, Sender } from './sender.ts'
import { Stream } from './stream.ts'
import { StreamIds } from './stream-ids.ts'
import { StreamList } from './stream-list.ts'

/** Content of a request that is read and dropped after the answer is complete. */
const maxDropped = 32 * 1024

export interface StreamsParts {
  shared: Http2Shared
  output: FrameOutput
  settings: PeerSettings
  budget: ControlBudget
  servername: string | null
  /** Null for a trusted proxy. */
  caller: string | null
  from: () => string | undefined
  /** The last of the open streams is over. */
  onIdle(): void
}

export interface RequestFrame {
  id: number
  endStream: boolean
  fields: HeaderFields
  tooLarge: boolean
  /** RFC 7540, 5.3.1. */
  dependsOnItself: boolean
}

/** The requests of a connection. Only those that have to wait for something are held. */
export class Streams {
  readonly ids = new StreamIds()
  readonly sender: Sender
  readonly #parts: StreamsParts
  readonly #open = new StreamList()
  readonly #early = new EarlyPriorities()
  readonly #proxy: ProxyFields | null
  /** Whether new requests are ignored, because GOAWAY said so. */
  isClosing = false

  constructor(parts: StreamsParts) {
    this.#parts = parts
    this.#proxy = fieldsFor(parts.shared.proxies, parts.from() ?? '')
    const { output, settings, budget, caller } = parts
    const { answers, log } = parts.shared
    this.sender = new Sender({
      ...{ answers, output, settings, budget, caller, log },
      onAnswered: (stream) => {
        if (!stream.isRequestOpen) this.#delete(stream)
      },
      onBroken: (stream) => this.#reset(stream, errorCodes.internalError),
    })
  }

  get size(): number {
    return this.#open.size
  }

  onHeaders(frame: RequestFrame): void {
    const { id, endStream, fields } = frame
    const known = this.#open.get(id)
    if (known !== undefined) {
      this.#onTrailers(known, frame)
      return
    }
    if (this.ids.isIgnored(id)) return
    this.ids.open(id)
    if (this.isClosing) {
      if (!endStream) this.ids.ignore(id)
      return
    }
    const early = this.#early.take(id)
    const request = frame.tooLarge ? tooLargeRequest : readRequest(fields, this.#parts.from, this.#proxy)
    if (request === null || frame.dependsOnItself || (endStream && (request.contentLength ?? 0) > 0)) {
      this.#resetUnknown(id, errorCodes.protocolError, endStream)
    } else if (this.#open.size >= this.#parts.shared.limits.maxStreams) {
      this.#resetUnknown(id, errorCodes.refusedStream, endStream)
    } else this.#answer(request, id, endStream, early)
  }

  /** `size` is what counts for flow control, `length` the content. */
  onData(id: number, size: number, length: number, endStream: boolean): void {
    const stream = this.#open.get(id)
    if (stream === undefined) {
      this.ids.requireIgnored(id)
      return
    }
    if (!stream.isRequestOpen) {
      this.#provoked(stream, errorCodes.streamClosed)
      return
    }
    stream.receivedSize += size
    stream.received += length
    if (stream.receivedSize > defaultWindow) this.#provoked(stream, errorCodes.flowControlError)
    else if (stream.contentLength !== null && stream.received > stream.contentLength) {
      this.#provoked(stream, errorCodes.protocolError)
    } else if (endStream) this.#endRequest(stream)
    else if (stream.isAnswered && stream.receivedSize > maxDropped) this.#reset(stream, errorCodes.noError)
  }

  onReset(id: number): void {
    this.ids.requireOpened(id)
    const stream = this.#open.get(id)
    if (stream === undefined) return
    stream.isRequestOpen = false
    this.sender.remove(stream)
    this.#delete(stream)
  }

  onWindowUpdate(id: number, increment: number): void {
    this.ids.requireOpened(id)
    const stream = this.#open.get(id)
    if (increment === 0) {
      if (stream === undefined) throw new Http2Error(errorCodes.protocolError, 'A window grows by nothing')
      this.#provoked(stream, errorCodes.protocolError)
    } else if (stream === undefined) return
    else if (stream.window + increment > maxWindow) this.#provoked(stream, errorCodes.flowControlError)
    else stream.window += increment
  }

  onPriorityUpdate(id: number, field: string): void {
    if (id === 0 || id % 2 === 0)
      throw new Http2Error(errorCodes.protocolError, 'A priority is for no request')
    const stream = this.#open.get(id)
    if (stream !== undefined) stream.priority = readPriority(field)
    else if (this.ids.isIdle(id)) {
      // RFC 9218, 7.1.
      if (
        !this.#early.has(id) &&
        this.#early.size + this.#open.size >= this.#parts.shared.limits.maxStreams
      ) {
        throw new Http2Error(errorCodes.protocolError, 'Too many priorities for requests that never came')
      }
      this.#early.set(id, readPriority(field))
    }
  }

  /** The initial window changed: open streams change by as much (RFC 9113, 6.9.2). */
  shiftWindows(difference: number): void {
    for (const stream of this.#open.all()) {
      if (stream.window + difference > maxWindow) {
        throw new Http2Error(errorCodes.flowControlError, 'A window is too large')
      }
      stream.window += difference
    }
  }

  /** Called once a second: nothing is held for a client that accepts nothing. Returns whether something moves. */
  sweep(): boolean {
    let moves = false
    for (const stream of this.#open.all()) {
      if (stream.isFresh || !(stream.isAnswered || this.sender.isBlocked(stream))) moves = true
      else if (stream.isAnswered) this.#reset(stream, errorCodes.noError)
      else this.sender.park(stream)
      stream.isFresh = false
    }
    return moves
  }

  /**
   * Cancels answers that the client has not accepted for a while, whatever else happens on the connection. Those that it
   * accepts may wait for others, which come first, as long as these take.
   */
  cancelStalled(): void {
    const { hasProgress } = this.sender
    this.sender.hasProgress = false
    for (const stream of this.#open.all()) {
      const waitsForOthers = hasProgress && stream.window > 0
      const isStalled = !stream.hasMoved && !waitsForOthers && this.sender.isBlocked(stream)
      stream.stalledChecks = isStalled ? stream.stalledChecks + 1 : 0
      stream.hasMoved = false
      if (stream.stalledChecks >= checksPerTimeout) this.#reset(stream, errorCodes.cancel)
    }
  }

  closeAll(): void {
    for (const stream of this.#open.all()) {
      this.sender.remove(stream)
      this.#parts.shared.streams.release(this.#parts.caller)
    }
    this.#open.clear()
  }

  #answer(request: StreamRequest, id: number, endStream: boolean, early: Priority | null): void {
    const { shared, servername } = this.#parts
    const answer = request.refusal ?? shared.answers.answer(request, servername)
    if (answer instanceof Promise) {
      const stream = this.#track(request, id, endStream, early)
      if (stream === null) return
      void answer.then((reply) => {
        if (!stream.isClosed) this.#send(stream, request, replyTo(request, reply))
        this.sender.pump()
      })
      return
    }
    const reply = replyTo(request, answer)
    const hints = request.isNavigation ? earlyHints(reply) : null
    const opened = this.sender.open(reply)
    if (endStream && this.sender.trySendWhole(id, reply, opened, hints)) return
    const stream = this.#track(request, id, endStream, early)
    if (stream === null) closeOpened(opened)
    else this.sender.send(stream, reply, opened, hints)
  }

  #send(stream: Stream, { isNavigation }: StreamRequest, reply: Reply): void {
    const hints = isNavigation ? earlyHints(reply) : null
    this.sender.send(stream, reply, this.sender.open(reply), hints)
  }

  /** Null if the client holds too many streams on all its connections. */
  #track(request: StreamRequest, id: number, endStream: boolean, early: Priority | null): Stream | null {
    const { shared, caller, settings } = this.#parts
    if (!shared.streams.tryAcquire(caller)) {
      // Tells the client that it may retry (RFC 9113, 8.7).
      this.#resetUnknown(id, errorCodes.refusedStream, endStream)
      return null
    }
    const { contentLength } = request
    const priority =
      early ?? (request.priority === undefined ? defaultPriority : readPriority(request.priority))
    const stream = new Stream(id, settings.initialWindow, { priority, isOpen: !endStream, contentLength })
    this.#open.add(stream)
    return stream
  }

  #onTrailers(stream: Stream, { endStream, fields }: RequestFrame): void {
    if (!stream.isRequestOpen) this.#provoked(stream, errorCodes.streamClosed)
    else if (!endStream || !areTrailers(fields)) this.#provoked(stream, errorCodes.protocolError)
    else this.#endRequest(stream)
  }

  #endRequest(stream: Stream): void {
    const { contentLength, received } = stream
    if (contentLength !== null && contentLength !== received) {
      this.#provoked(stream, errorCodes.protocolError)
      return
    }
    stream.isRequestOpen = false
    if (stream.isAnswered) this.#delete(stream)
  }

  /** A reset that the client has brought about, which it may do as rarely as reset a stream itself. */
  #provoked(stream: Stream, code: ErrorCode): void {
    this.#parts.budget.spend()
    this.#reset(stream, code)
  }

  #reset(stream: Stream, code: ErrorCode): void {
    this.#writeReset(stream.id, code)
    if (stream.isRequestOpen) this.ids.ignore(stream.id)
    this.sender.remove(stream)
    this.#delete(stream)
  }

  #resetUnknown(id: number, code: ErrorCode, endStream: boolean): void {
    this.#parts.budget.spend()
    this.#writeReset(id, code)
    if (!endStream) this.ids.ignore(id)
  }

  #writeReset(id: number, code: ErrorCode): void {
    this.#parts.output.startFrame(frameTypes.rstStream, 0, id, 4)
    this.#parts.output.appendUint32(code)
  }

  #delete(stream: Stream): void {
    if (!this.#open.delete(stream)) return
    stream.isClosed = true
    this.#parts.shared.streams.release(this.#parts.caller)
    if (this.#open.size === 0) this.#parts.onIdle()
  }
}

/** A site's connection has no answer for the platform. */
function replyTo({ method }: StreamRequest, answer: Reply | null): Reply {
  if (answer !== null) return answer
  return method === 'HEAD' ? withoutBody(misdirectedPage) : misdirectedPage
}

const tooLargeRequest: StreamRequest = {
  ...{ method: 'GET', target: '/', host: '', headers: {} },
  ...{ refusal: headTooLarge, priority: undefined, isNavigation: false, contentLength: null },
}
