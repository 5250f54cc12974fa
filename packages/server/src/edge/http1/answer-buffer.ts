import type { SiteSocket } from '../sockets/site-socket.ts'

/** Once so much waits to be sent, the client does not keep up. One answer from memory is less, with its head. */
const maxUnsent = 80 * 1024

export function keepsUp(socket: SiteSocket): boolean {
  return socket.unsent < maxUnsent
}

/**
 * Collects what one read of a socket produces, and sends it in one write. The parts must never change. All connections
 * share one buffer, one after the other.
 */
export class AnswerBuffer {
  /** Whose parts these are. */
  #socket: SiteSocket | null = null
  #parts: Buffer[] = []
  #length = 0

  /** How much is not sent yet. */
  get length(): number {
    return this.#length
  }

  add(socket: SiteSocket, part: Buffer): void {
    if (this.#socket !== socket) {
      // Nobody forgets to send, but if somebody did, another client must not get it.
      if (this.#socket !== null) this.sendTo(this.#socket)
      this.#socket = socket
    }
    this.#length += part.length
    this.#parts.push(part)
  }

  /** Returns whether the client keeps up. */
  sendTo(socket: SiteSocket): boolean {
    if (this.#socket === socket) socket.write(this.#take())
    return keepsUp(socket)
  }

  /** Sends it at the end of the turn. Returns whether the client keeps up. */
  sendLater(socket: SiteSocket): boolean {
    if (this.#socket === socket) socket.writeLater(this.#take())
    return keepsUp(socket)
  }

  /** Sends it with a long part at its end, which may change once `onWritten` is called. */
  sendWith(socket: SiteSocket, part: Buffer, onWritten: () => void): void {
    // TLS would copy them together.
    if (socket.isSecure || this.#socket !== socket) {
      this.sendTo(socket)
      socket.write(part, onWritten)
    } else socket.write([...this.#take(), part], onWritten)
  }

  #take(): Buffer[] {
    const parts = this.#parts
    this.#parts = []
    this.#length = 0
    this.#socket = null
    return parts
  }
}
