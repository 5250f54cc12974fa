import { cutOff } from '../../kernel/sockets/cut-off.ts'
import type { ActivityMonitor } from '../accept/connection-limits.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'
import type { SiteSocket } from '../sockets/site-socket.ts'
import { ControlBudget } from './control-budget.ts'
import { FrameOutput, maxUnread } from './frames/frame-output.ts'
import { FrameReader } from './frames/frame-reader.ts'
import { PeerSettings } from './frames/peer-settings.ts'
import {
  type ErrorCode,
  errorCodes,
  frameTypes,
  Http2Error,
  maxStreamId,
  settingIds,
} from './frames/protocol.ts'
import { HpackError } from './hpack/hpack-error.ts'
import type { Http2Shared } from './limits.ts'
import { Receiver } from './receiver.ts'
import { Streams } from './streams.ts'

/** Checks in a row at which the client may be in the middle of one frame or one header block. */
const maxUnfinishedChecks = 2

/** One client's connection, from its preface to its end. */
export class Connection implements ActivityMonitor {
  readonly #socket: SiteSocket
  readonly #shared: Http2Shared
  readonly #output: FrameOutput
  readonly #streams: Streams
  readonly #receiver: Receiver
  readonly #reader: FrameReader
  #hasStarted = false
  /** Whether the last GOAWAY was sent: answers under way are the last. */
  #isClosing = false
  /** Whether nothing more is read or sent. */
  #isOver = false
  #isReadingPaused = false
  #hasClientEnded = false
  #unfinishedChecks = 0

  constructor(socket: SiteSocket, servername: string | null, shared: Http2Shared) {
    const caller = callerUnlessProxy(socket.stream.remoteAddress ?? '', shared.proxies.isProxy)
    const settings = new PeerSettings()
    const budget = new ControlBudget(shared.limits)
    this.#socket = socket
    this.#shared = shared
    this.#output = new FrameOutput(socket)
    socket.onRoom = () => this.#onRoom()
    this.#streams = new Streams({
      ...{ shared, output: this.#output, settings, budget, servername, caller },
      from: () => socket.stream.remoteAddress,
      onIdle: () => this.#finishIfIdle(),
    })
    this.#receiver = new Receiver({ output: this.#output, streams: this.#streams, settings, budget, shared })
    this.#reader = new FrameReader({
      onFrame: (type, flags, stream, bytes, start, end) =>
        this.#receiver.onFrame(type, flags, stream, bytes, start, end),
      isPaused: () => this.#isOver || this.#output.unsent >= maxUnread,
    })
    socket.read((bytes, length) => this.#read(bytes, length))
    socket.readInPlace()
    socket.stream.once('end', () => this.#onEnd())
    socket.stream.once('close', () => this.#onClose())
  }

  /** Only requests and answers count as activity: pings do not keep a connection open. */
  checkActivity(): boolean {
    this.#unfinishedChecks = this.#isUnfinished() ? this.#unfinishedChecks + 1 : 0
    if (this.#unfinishedChecks >= maxUnfinishedChecks) this.#socket.stream.destroy()
    const isActive = this.#receiver.takeActivity() || this.#streams.size > 0 || this.#output.takeProgress()
    this.#streams.cancelStalled()
    this.#output.flush()
    return isActive
  }

  end(): void {
    this.#socket.stream.destroy()
  }

  /** Once a second. */
  sweep(): void {
    if (this.#streams.size === 0) return
    const moves = this.#streams.sweep()
    this.#output.flush()
    // It can open no window any more, so what does not move although all was taken never will.
    if (this.#hasClientEnded && !moves && this.#output.unsent === 0) this.#socket.stream.destroy()
  }

  /** Asks the client to take new requests elsewhere; those on their way are answered (RFC 9113, 6.8). */
  drain(): void {
    if (this.#isOver || this.#isClosing) return
    if (this.#hasStarted) this.#writeGoAway(maxStreamId, errorCodes.noError)
    else this.#start()
    this.#output.flush()
  }

  /** Answers what has begun, then ends. */
  close(): void {
    if (this.#isOver || this.#isClosing) return
    this.#start()
    this.#isClosing = true
    this.#streams.isClosing = true
    this.#writeGoAway(this.#streams.ids.last, errorCodes.noError)
    this.#output.flush()
    this.#finishIfIdle()
  }

  #read(bytes: Buffer, length: number): void {
    if (this.#isOver) return
    this.#start()
    this.#receive(() => this.#reader.read(bytes, length))
  }

  #receive(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#streams.sender.pump()
    this.#pauseIfFull()
  }

  /** A client that does not take what it asked for is not asked for more. */
  #pauseIfFull(): void {
    if (this.#output.unsent < maxUnread || this.#isOver) return
    this.#isReadingPaused = true
    this.#socket.stream.pause()
  }

  #onRoom(): void {
    if (this.#isOver) return
    this.#streams.sender.pump()
    if (!this.#isReadingPaused || this.#output.unsent >= maxUnread) return
    this.#isReadingPaused = false
    this.#receive(() => this.#reader.resume())
    if (!this.#isReadingPaused && !this.#isOver) this.#socket.stream.resume()
  }

  /** With the first bytes of the client, so that its settings, ours and the first answer share a write. */
  #start(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    const { maxStreams, maxHeaderSize } = this.#shared.limits
    const settings = [
      [settingIds.maxConcurrentStreams, maxStreams],
      [settingIds.maxHeaderListSize, maxHeaderSize],
      [settingIds.noRfc7540Priorities, 1],
    ] as const
    this.#output.startFrame(frameTypes.settings, 0, 0, settings.length * 6)
    for (const [id, value] of settings) {
      this.#output.appendUint16(id)
      this.#output.appendUint32(value)
    }
    if (this.#shared.isDraining) this.#writeGoAway(maxStreamId, errorCodes.noError)
  }

  #fail(error: unknown): void {
    const code = codeOf(error)
    if (code === errorCodes.internalError)
      this.#shared.log.error({ err: error }, 'an HTTP/2 connection failed')
    this.#writeGoAway(this.#streams.ids.last, code)
    this.#finish()
    this.#socket.closeLingering()
    // Answering any more of what it sends is what it asks for.
    if (code === errorCodes.enhanceYourCalm) cutOff(this.#socket.stream)
  }

  #writeGoAway(last: number, code: ErrorCode): void {
    this.#output.startFrame(frameTypes.goAway, 0, 0, 8)
    this.#output.appendUint32(last)
    this.#output.appendUint32(code)
  }

  #onEnd(): void {
    this.#hasClientEnded = true
    if (this.#isOver) return
    this.#isClosing = true
    this.#streams.isClosing = true
    this.#finishIfIdle()
  }

  #finishIfIdle(): void {
    if (!this.#isClosing || this.#streams.size > 0 || this.#isOver) return
    this.#finish()
    this.#socket.closeWhenRead()
  }

  #finish(): void {
    this.#isOver = true
    this.#output.flush()
    this.#streams.closeAll()
  }

  #onClose(): void {
    this.#isOver = true
    this.#streams.closeAll()
    this.#output.discard()
    this.#shared.onClosed(this)
  }

  /** Whether the client has begun something and does not go on with it. */
  #isUnfinished(): boolean {
    return this.#receiver.isWithinBlock || (this.#reader.isWithinFrame && !this.#receiver.takeFrames())
  }
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof Http2Error) return error.code
  return error instanceof HpackError ? errorCodes.compressionError : errorCodes.internalError
}
