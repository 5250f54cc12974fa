import type { Socket } from 'node:net'
import type { Body } from '../assets/body.ts'
import type { AnswerBuffer } from './answer-buffer.ts'

/** Longer bodies are sent in pieces of this size. */
export const pieceSize = 64 * 1024

/** Sends a body in pieces, each when the client has taken the one before. */
export class BodyInPieces {
  readonly #body: Body
  readonly #socket: Socket
  readonly #out: AnswerBuffer
  #isStalled = false

  constructor(body: Body, socket: Socket, out: AnswerBuffer) {
    this.#body = body
    this.#socket = socket
    this.#out = out
  }

  /** To be called now and then while nothing moves: a client that does not read keeps no file open. */
  rest(): void {
    if (this.#isStalled) this.#body.rest()
  }

  /** Calls `begin` once the first bytes are read. Rejects if they cannot be read, and stops when the client leaves. */
  async send(begin: () => void): Promise<void> {
    const { length, bytes } = this.#body
    try {
      for (let at = 0; at < length; ) {
        const wanted = Math.min(pieceSize, length - at)
        const piece = bytes?.subarray(at, at + wanted) ?? (await this.#body.read(at, wanted))
        if (piece.length === 0) throw new Error('A file ends early')
        if (this.#socket.destroyed) return
        if (at === 0) begin()
        at += piece.length
        this.#out.add(this.#socket, piece)
        if (!this.#out.sendTo(this.#socket)) await this.#drained()
      }
    } finally {
      this.#body.close()
    }
  }

  async #drained(): Promise<void> {
    const socket = this.#socket
    if (socket.destroyed) return
    this.#isStalled = true
    await new Promise<void>((resolve) => {
      const proceed = () => {
        socket.off('drain', proceed)
        socket.off('close', proceed)
        resolve()
      }
      socket.on('drain', proceed)
      socket.on('close', proceed)
    })
    this.#isStalled = false
  }
}
