import type { Body } from '../assets/body.ts'
import { releasePiece } from '../assets/pieces.ts'
import type { Reply } from '../assets/reply.ts'
import type { FramedPiece } from './frames/framed-piece.ts'
import type { Priority } from './priority.ts'

/** A request that is not over: its answer waits for something, or its body is still being sent. */
export class Stream {
  readonly id: number
  /** How much more of the answer the client accepts; negative after it made the window smaller. */
  window: number
  priority: Priority
  /** When it was served last, in turns of its connection. */
  servedAt = 0

  /** Whether the client may still send. */
  isRequestOpen: boolean
  /** Of the request's body; null if the client did not say. */
  readonly contentLength: number | null
  received = 0
  /** With padding, as flow control counts. */
  receivedSize = 0

  /** Null until it is known. */
  reply: Reply | null = null
  hasHead = false
  body: Body | null = null
  /** Whether the body was closed because the client accepted nothing for a while. */
  isParked = false
  /** How much of the body was sent. */
  sent = 0
  /** What was read from a file and not sent yet, and where it continues. */
  piece: Buffer | null = null
  pieceAt = 0
  /** The same as frames, to be sent at once. */
  framed: FramedPiece | null = null
  isReading = false
  isAnswered = false
  isClosed = false

  /** Since the previous check, and since the previous sweep. */
  hasMoved = true
  isFresh = true
  stalledChecks = 0

  constructor(
    id: number,
    window: number,
    request: { priority: Priority; isOpen: boolean; contentLength: number | null },
  ) {
    this.id = id
    this.window = window
    this.priority = request.priority
    this.isRequestOpen = request.isOpen
    this.contentLength = request.contentLength
  }

  /** Whether the answer could go on if the client let it. */
  get isReady(): boolean {
    return (this.body !== null || this.isParked) && !this.isReading && !this.isAnswered
  }

  /** Whether there is something to send without reading a file. */
  get hasBytes(): boolean {
    return this.piece !== null || this.framed !== null || (this.body?.bytes ?? null) !== null
  }

  /** Returns whether there was a piece. */
  dropPiece(): boolean {
    const { piece, framed } = this
    this.piece = null
    this.framed = null
    if (piece !== null) releasePiece(piece)
    framed?.release()
    return piece !== null || framed !== null
  }

  closeBody(): void {
    this.dropPiece()
    this.body?.close()
    this.body = null
  }
}
