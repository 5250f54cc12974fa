import type { ControlBudget } from './control-budget.ts'
import type { FrameOutput } from './frames/frame-output.ts'
import { HeaderBlock, withoutPadding } from './frames/header-block.ts'
import type { PeerSettings } from './frames/peer-settings.ts'
import { defaultWindow, errorCodes, flags, frameTypes, Http2Error } from './frames/protocol.ts'
import { HpackDecoder } from './hpack/decoder.ts'
import type { Http2Shared } from './limits.ts'
import type { Streams } from './streams.ts'

export interface ReceiverParts {
  output: FrameOutput
  streams: Streams
  settings: PeerSettings
  budget: ControlBudget
  shared: Http2Shared
}

/** Content in smaller pieces than this costs us more than it tells. */
const smallData = 16
const maxFields = 100
const tableSize = 4_096

/** Understands the frames of a client (RFC 9113, 6). Whatever it may not send throws Http2Error. */
export class Receiver {
  readonly #parts: ReceiverParts
  readonly #decoder: HpackDecoder
  readonly #block = new HeaderBlock()
  #dependsOnItself = false
  #hasSettings = false
  /** Whether the client still has to acknowledge our settings. */
  #owesAcknowledgement = true
  /** Received content that the client does not know to be consumed. */
  #consumed = 0
  #hasBegun = false
  #hasFrames = false

  constructor(parts: ReceiverParts) {
    this.#parts = parts
    const maxListSize = parts.shared.limits.maxHeaderSize
    this.#decoder = new HpackDecoder({ tableSize, maxListSize, maxFields })
  }

  get isWithinBlock(): boolean {
    return this.#block.isOpen
  }

  /** Whether requests came since the previous call. */
  takeActivity(): boolean {
    const hasBegun = this.#hasBegun
    this.#hasBegun = false
    return hasBegun
  }

  /** Whether frames came since the previous call. */
  takeFrames(): boolean {
    const hasFrames = this.#hasFrames
    this.#hasFrames = false
    return hasFrames
  }

  onFrame(type: number, frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    this.#hasFrames = true
    if (this.#block.isOpen && (type !== frameTypes.continuation || id !== this.#block.stream)) {
      throw protocolError('A header block was interrupted')
    }
    if (!this.#hasSettings && (type !== frameTypes.settings || (frameFlags & flags.ack) !== 0)) {
      throw protocolError('The first frame is not SETTINGS')
    }
    switch (type) {
      case frameTypes.headers:
        this.#onHeaders(frameFlags, id, bytes, start, end)
        break
      case frameTypes.data:
        this.#onData(frameFlags, id, bytes, start, end)
        break
      case frameTypes.windowUpdate:
        this.#onWindowUpdate(id, bytes, start, end)
        break
      case frameTypes.settings:
        this.#onSettings(frameFlags, id, bytes, start, end)
        break
      case frameTypes.ping:
        this.#onPing(frameFlags, id, bytes, start, end)
        break
      case frameTypes.rstStream:
        requireStream(id)
        requireLength(end - start, 4)
        this.#parts.budget.spend()
        this.#parts.streams.onReset(id)
        break
      case frameTypes.priority:
        requireStream(id)
        requireLength(end - start, 5)
        this.#parts.budget.spend()
        if (dependencyAt(bytes, start) === id) throw protocolError('A stream depends on itself')
        break
      case frameTypes.priorityUpdate:
        requireConnection(id)
        if (end - start < 4) throw frameSizeError()
        this.#parts.budget.spend()
        this.#parts.streams.onPriorityUpdate(
          dependencyAt(bytes, start),
          bytes.toString('latin1', start + 4, end),
        )
        break
      case frameTypes.continuation:
        this.#onContinuation(frameFlags, bytes, start, end)
        break
      case frameTypes.goAway:
        requireConnection(id)
        if (end - start < 8) throw frameSizeError()
        this.#parts.budget.spend()
        break
      case frameTypes.pushPromise:
        throw protocolError('A client may not push')
      default:
        // Extensions that we do not know are ignored (RFC 9113, 5.5).
        this.#parts.budget.spend()
    }
  }

  #onHeaders(frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    requireStream(id)
    let content = withoutPadding(frameFlags, bytes, start, end)
    this.#dependsOnItself = false
    if ((frameFlags & flags.priority) !== 0) {
      if (content.end - content.start < 5) throw frameSizeError()
      this.#dependsOnItself = dependencyAt(bytes, content.start) === id
      content = { start: content.start + 5, end: content.end }
    }
    const endStream = (frameFlags & flags.endStream) !== 0
    if ((frameFlags & flags.endHeaders) !== 0) this.#onBlock(id, endStream, bytes, content.start, content.end)
    else this.#block.begin(id, endStream, bytes, content.start, content.end)
  }

  #onContinuation(frameFlags: number, bytes: Buffer, start: number, end: number): void {
    if (!this.#block.isOpen) throw protocolError('CONTINUATION continues nothing')
    this.#parts.budget.spend()
    this.#block.add(bytes, start, end)
    if ((frameFlags & flags.endHeaders) === 0) return
    const { stream, endStream } = this.#block
    const block = this.#block.take()
    this.#onBlock(stream, endStream, block, 0, block.length)
  }

  #onBlock(id: number, endStream: boolean, bytes: Buffer, start: number, end: number): void {
    this.#hasBegun = true
    const { fields, tooLarge } = this.#decoder.decode(bytes, start, end)
    this.#parts.streams.onHeaders({ id, endStream, fields, tooLarge, dependsOnItself: this.#dependsOnItself })
  }

  #onData(frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    requireStream(id)
    const content = withoutPadding(frameFlags, bytes, start, end)
    const endStream = (frameFlags & flags.endStream) !== 0
    const size = end - start
    const length = content.end - content.start
    if (length < smallData && !endStream) this.#parts.budget.spend()
    this.#consumed += size
    this.#parts.streams.onData(id, size, length, endStream)
    if (this.#consumed < defaultWindow / 2) return
    this.#parts.output.startFrame(frameTypes.windowUpdate, 0, 0, 4)
    this.#parts.output.appendUint32(this.#consumed)
    this.#consumed = 0
  }

  #onWindowUpdate(id: number, bytes: Buffer, start: number, end: number): void {
    requireLength(end - start, 4)
    this.#parts.budget.spendCredit()
    const increment = dependencyAt(bytes, start)
    if (id !== 0) this.#parts.streams.onWindowUpdate(id, increment)
    else if (increment === 0) throw protocolError('The window of the connection grows by nothing')
    else this.#parts.streams.sender.enlargeWindow(increment)
  }

  #onSettings(frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    requireConnection(id)
    if ((frameFlags & flags.ack) !== 0) {
      requireLength(end - start, 0)
      if (this.#owesAcknowledgement) this.#owesAcknowledgement = false
      else this.#parts.budget.spend()
      return
    }
    const { settings, streams, output, budget } = this.#parts
    if (this.#hasSettings) budget.spend()
    this.#hasSettings = true
    const before = settings.initialWindow
    settings.read(bytes, start, end)
    if (settings.initialWindow !== before) streams.shiftWindows(settings.initialWindow - before)
    output.startFrame(frameTypes.settings, flags.ack, 0, 0)
  }

  #onPing(frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    requireConnection(id)
    requireLength(end - start, 8)
    this.#parts.budget.spendCredit()
    if ((frameFlags & flags.ack) !== 0) return
    this.#parts.output.startFrame(frameTypes.ping, flags.ack, 0, 8)
    this.#parts.output.append(bytes, start, end)
  }
}

/** A stream or an increment, whose first bit is reserved. */
function dependencyAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) & 0x7fff_ffff
}

function requireStream(id: number): void {
  if (id === 0) throw protocolError('A frame of a stream came without one')
}

function requireConnection(id: number): void {
  if (id !== 0) throw protocolError('A frame of the connection came on a stream')
}

function requireLength(length: number, expected: number): void {
  if (length !== expected) throw frameSizeError()
}

function protocolError(message: string): Http2Error {
  return new Http2Error(errorCodes.protocolError, message)
}

function frameSizeError(): Http2Error {
  return new Http2Error(errorCodes.frameSizeError, 'A frame has a wrong length')
}
