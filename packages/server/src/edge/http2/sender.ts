import type { Logger } from 'pino'
import { type Body, isTemporary } from '../assets/body.ts'
import { unavailablePage } from '../assets/pages.ts'
import { pieceSize, releasePiece, takePiece } from '../assets/pieces.ts'
import type { Reply } from '../assets/reply.ts'
import type { SiteAnswers } from '../site-answers.ts'
import type { ControlBudget } from './control-budget.ts'
import { type FrameOutput, maxUnread } from './frames/frame-output.ts'
import { FramedPiece, longestFramed } from './frames/framed-piece.ts'
import type { PeerSettings } from './frames/peer-settings.ts'
import {
  defaultWindow,
  errorCodes,
  flags,
  frameTypes,
  Http2Error,
  maxFrameSize,
  maxWindow,
} from './frames/protocol.ts'
import { dateField, headBlock } from './head-blocks.ts'
import { SendQueue } from './send-queue.ts'
import type { Stream } from './stream.ts'

/** Pieces of files that are being read or wait to be sent, on one connection. */
const maxPieces = 2

/** Less of a file is copied to what else is sent. */
const smallestFramed = 32 * 1024

/** How much is framed before the system has taken it. Past this, answers wait on their streams. */
const maxAhead = 128 * 1024

/** Tells the client that we use no dynamic table (RFC 7541, 6.3). */
const emptyTable = Buffer.from([0x20])

export interface SenderParts {
  answers: Pick<SiteAnswers, 'openBody' | 'responses'>
  output: FrameOutput
  settings: PeerSettings
  budget: ControlBudget
  caller: string | null
  log: Pick<Logger, 'error'>
  /** The answer was sent completely. */
  onAnswered(stream: Stream): void
  /** The answer cannot be completed. */
  onBroken(stream: Stream): void
}

type Opened = Body | Promise<Body> | null

/** Sends the answers of a connection, within its windows and as fast as the client takes them. */
export class Sender {
  readonly #parts: SenderParts
  readonly #queue = new SendQueue()
  #window = defaultWindow
  #pieces = 0
  /** Whether content of any stream was sent since the previous check. */
  hasProgress = false
  readonly #canSend = (stream: Stream) =>
    stream.isReady && stream.window > 0 && (stream.hasBytes || this.#pieces < maxPieces)

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** Whether this stream could send if the client accepted more. */
  isBlocked(stream: Stream): boolean {
    return stream.isReady && (this.#window <= 0 || stream.window <= 0 || this.#parts.output.unsent > 0)
  }

  /** Null for answers without a body. */
  open({ body }: Reply): Opened {
    return body.kind === 'none' ? null : this.#parts.answers.openBody(body, this.#parts.caller)
  }

  /** Sends an answer that is in memory and fits the windows, which needs no stream. False if it has to wait. */
  trySendWhole(id: number, reply: Reply, opened: Opened, hints: Buffer | null = null): boolean {
    const { output, settings, budget } = this.#parts
    if (opened === null) {
      this.#writeHead(id, reply, flags.endStream)
      return true
    }
    if (this.#queue.size > 0 || output.unsent >= maxAhead || opened instanceof Promise) return false
    const { bytes, length } = opened
    if (bytes === null || length > this.#window || length > settings.initialWindow || length > pieceSize)
      return false
    if (hints !== null) this.#writeBlock(id, hints, nothing, 0)
    this.#writeHead(id, reply, length === 0 ? flags.endStream : 0)
    if (length > 0) output.writeData(id, bytes, 0, length, flags.endStream)
    this.#window -= length
    budget.earn(1 + Math.floor(length / maxFrameSize))
    return true
  }

  /** Sends an answer on a stream, as fast as the client takes it. The hints do not wait for it. */
  send(stream: Stream, reply: Reply, opened: Opened, hints: Buffer | null = null): void {
    if (stream.isClosed) {
      closeOpened(opened)
      return
    }
    if (hints !== null) this.#writeBlock(stream.id, hints, nothing, 0)
    stream.reply = reply
    if (opened instanceof Promise) {
      opened.then(
        (body) => {
          this.send(stream, reply, body)
          this.pump()
        },
        (error: unknown) => this.#fail(stream, error),
      )
      return
    }
    stream.body = opened
    if (opened === null || opened.length === 0) {
      this.#writeHead(stream.id, reply, flags.endStream)
      stream.hasHead = true
      this.#finish(stream)
      return
    }
    this.#queue.add(stream)
    // The head of a file waits for its first bytes: if it cannot be read, the answer is another.
    if (opened.bytes !== null || stream.window <= 0 || this.#window <= 0) this.#sendHead(stream)
  }

  /** Sends what can be sent now. */
  pump(): void {
    const { output } = this.#parts
    while (output.unsent < maxAhead && this.#window > 0 && this.#queue.size > 0) {
      const stream = this.#queue.next(this.#canSend)
      if (stream === null) break
      if (stream.isParked) this.#unpark(stream)
      else if (stream.framed !== null) {
        if (!this.#trySendFramed(stream, stream.framed)) break
      } else if (stream.hasBytes) this.#sendFrame(stream)
      else void this.#readPiece(stream)
    }
    output.flushLater()
  }

  /** Takes back a stream that was reset. */
  remove(stream: Stream): void {
    if (stream.dropPiece()) this.#pieces--
    this.#queue.delete(stream)
    stream.isClosed = true
    stream.closeBody()
  }

  /** Lets go of memory and files for as long as the client accepts nothing. */
  park(stream: Stream): void {
    if (!stream.isReady || stream.isParked) return
    if (stream.dropPiece()) this.#pieces--
    stream.closeBody()
    stream.isParked = true
  }

  #unpark(stream: Stream): void {
    if (stream.reply === null) return
    stream.isParked = false
    const opened = this.open(stream.reply)
    if (!(opened instanceof Promise)) {
      stream.body = opened
      return
    }
    stream.isReading = true
    opened.then(
      (body) => {
        stream.isReading = false
        if (stream.isClosed) body.close()
        else stream.body = body
        this.pump()
      },
      (error: unknown) => {
        stream.isReading = false
        this.#fail(stream, error)
      },
    )
  }

  /** The client accepts more on the whole connection (RFC 9113, 6.9.1). */
  enlargeWindow(increment: number): void {
    if (this.#window + increment > maxWindow) {
      throw new Http2Error(errorCodes.flowControlError, 'The window of the connection is too large')
    }
    this.#window += increment
  }

  #sendHead(stream: Stream): void {
    if (stream.hasHead || stream.reply === null) return
    stream.hasHead = true
    this.#writeHead(stream.id, stream.reply, 0)
  }

  #writeHead(id: number, reply: Reply, endFlag: number): void {
    this.#parts.answers.responses.count(reply.status)
    this.#writeBlock(id, headBlock(reply), dateField(), endFlag)
  }

  #writeBlock(id: number, block: Buffer, more: Buffer, endFlag: number): void {
    const { output, settings } = this.#parts
    const length = block.length + more.length
    if (settings.owesTableUpdate || length > maxFrameSize) {
      this.#writeLongBlock(
        id,
        Buffer.concat([settings.owesTableUpdate ? emptyTable : nothing, block, more]),
        endFlag,
      )
      settings.owesTableUpdate = false
      return
    }
    output.startFrame(frameTypes.headers, flags.endHeaders | endFlag, id, length)
    output.append(block)
    output.append(more)
  }

  #writeLongBlock(id: number, block: Buffer, endFlag: number): void {
    const { output } = this.#parts
    let type: number = frameTypes.headers
    let frameFlags = endFlag
    for (let at = 0; at < block.length; at += maxFrameSize) {
      const end = Math.min(at + maxFrameSize, block.length)
      if (end === block.length) frameFlags |= flags.endHeaders
      output.startFrame(type, frameFlags, id, end - at)
      output.append(block, at, end)
      type = frameTypes.continuation
      frameFlags = 0
    }
  }

  /** One frame, so that the streams of one urgency take turns. */
  #sendFrame(stream: Stream): void {
    const { body, piece } = stream
    const source = piece ?? body?.bytes ?? null
    if (body === null || source === null) return
    this.#sendHead(stream)
    const start = piece === null ? stream.sent : stream.pieceAt
    const size = this.#parts.output.roomFor(Math.min(source.length - start, stream.window, this.#window))
    const end = start + size
    const endFlag = this.#count(stream, body, size)
    this.#parts.output.writeData(stream.id, source, start, end, endFlag)
    this.#parts.budget.earn(1)
    if (piece !== null) {
      stream.pieceAt = end
      if (end === piece.length && stream.dropPiece()) this.#pieces--
    }
    this.#finishOrRest(stream, body)
  }

  /** False if it has to wait until the system has taken what was sent before. */
  #trySendFramed(stream: Stream, framed: FramedPiece): boolean {
    const { output, budget } = this.#parts
    const { body } = stream
    if (body === null) return false
    if (framed.length > stream.window || framed.length > this.#window) {
      stream.piece = framed.toContent()
      stream.pieceAt = 0
      stream.framed = null
      return true
    }
    if (output.unsent > maxUnread - longestFramed) return false
    // From here on it is released by the write. A write can fail at once, and that gives back what streams still have.
    stream.framed = null
    this.#pieces--
    this.#sendHead(stream)
    const endFlag = this.#count(stream, body, framed.length)
    output.writeFrames(framed.toFrames(stream.id, endFlag), framed.release)
    budget.earn(framed.parts.length)
    this.#finishOrRest(stream, body)
    return true
  }

  /** Counts what is sent. Returns the flag of its last frame. */
  #count(stream: Stream, body: Body, size: number): number {
    stream.sent += size
    stream.window -= size
    this.#window -= size
    this.hasProgress = true
    stream.hasMoved = true
    stream.isFresh = true
    stream.stalledChecks = 0
    return stream.sent === body.length ? flags.endStream : 0
  }

  #finishOrRest(stream: Stream, body: Body): void {
    if (stream.sent === body.length) this.#finish(stream)
    // It may be long until the client accepts more, and others may wait for the file to be closed.
    else if (stream.window <= 0 || this.#window <= 0) body.rest()
  }

  async #readPiece(stream: Stream): Promise<void> {
    const { body, sent } = stream
    if (body === null) return
    stream.isReading = true
    this.#pieces++
    const wanted = Math.min(body.length - sent, stream.window, this.#window)
    // Streams that take turns do so frame by frame.
    const isAlone = !stream.priority.incremental || this.#queue.size === 1
    const isFramed = isAlone && wanted >= smallestFramed && body.readParts !== undefined
    const piece = isFramed ? new FramedPiece(wanted) : takePiece(wanted)
    try {
      if (piece instanceof FramedPiece) await body.readParts?.(sent, piece.parts)
      else await body.read(sent, piece)
      stream.isReading = false
      if (stream.isClosed) throw new Error('The client has left')
      if (piece instanceof FramedPiece) stream.framed = piece
      else stream.piece = piece
      stream.pieceAt = 0
    } catch (error) {
      stream.isReading = false
      this.#pieces--
      if (piece instanceof FramedPiece) piece.release()
      else releasePiece(piece)
      if (!stream.isClosed) this.#fail(stream, error)
    }
    this.pump()
  }

  #fail(stream: Stream, error: unknown): void {
    if (stream.isClosed) return
    if (!isTemporary(error)) this.#parts.log.error({ err: error }, 'could not send published content')
    this.#queue.delete(stream)
    if (stream.hasHead) this.#parts.onBroken(stream)
    else {
      stream.closeBody()
      this.send(stream, unavailablePage, this.open(unavailablePage))
    }
    this.pump()
  }

  #finish(stream: Stream): void {
    this.#queue.delete(stream)
    stream.closeBody()
    stream.isAnswered = true
    this.#parts.onAnswered(stream)
  }
}

const nothing = Buffer.alloc(0)

/** For a client that has left meanwhile. */
export function closeOpened(opened: Opened): void {
  if (opened instanceof Promise)
    opened.then(
      (body) => body.close(),
      () => {},
    )
  else opened?.close()
}
