import type { Body } from '../assets/body.ts'
import { pieceSize, releasePiece, takePiece } from '../assets/pieces.ts'
import type { SiteSocket } from '../sockets/site-socket.ts'
import { type AnswerBuffer, keepsUp } from './answer-buffer.ts'

/** Sends a body in pieces, each when the client has taken the one before. */
export class BodyInPieces {
  readonly #body: Body
  readonly #socket: SiteSocket
  readonly #out: AnswerBuffer
  #waiting: (() => void) | null = null

  constructor(body: Body, socket: SiteSocket, out: AnswerBuffer) {
    this.#body = body
    this.#socket = socket
    this.#out = out
  }

  /** To be called now and then while nothing moves: a client that does not read keeps no file open. */
  rest(): void {
    if (this.#waiting !== null) this.#body.rest()
  }

  /** To be called when the client has taken something, or has left. */
  onRoom(): void {
    const proceed = this.#waiting
    if (proceed === null || (!this.#socket.stream.destroyed && !keepsUp(this.#socket))) return
    this.#waiting = null
    proceed()
  }

  /** Calls `begin` once the first bytes are read. Rejects if they cannot be read, and stops when the client leaves. */
  async send(begin: () => void): Promise<void> {
    const { length, bytes } = this.#body
    try {
      for (let at = 0; at < length; ) {
        const piece = bytes?.subarray(at, at + pieceSize) ?? (await this.#read(at))
        const release = bytes === null ? () => releasePiece(piece) : doNothing
        if (this.#socket.stream.destroyed) {
          release()
          return
        }
        if (at === 0) begin()
        at += piece.length
        this.#out.sendWith(this.#socket, piece, release)
        if (!keepsUp(this.#socket)) await this.#room()
      }
    } finally {
      this.#body.close()
    }
  }

  async #read(start: number): Promise<Buffer> {
    const piece = takePiece(this.#body.length - start)
    try {
      await this.#body.read(start, piece)
      return piece
    } catch (error) {
      releasePiece(piece)
      throw error
    }
  }

  async #room(): Promise<void> {
    if (this.#socket.stream.destroyed) return
    await new Promise<void>((resolve) => {
      this.#waiting = resolve
    })
  }
}

function doNothing(): void {}
