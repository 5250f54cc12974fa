import type { Socket } from 'node:net'

const slabSize = 64 * 1024

/** Longer parts are written as they are: copying them would cost more than it saves. */
const longestCopy = 16 * 1024

/**
 * Collects what one read of a socket produces, and sends it in one write. Short parts are copied next to each other. All
 * connections share one buffer, one after the other.
 */
export class AnswerBuffer {
  /** Whose parts these are. */
  #socket: Socket | null = null
  #parts: Buffer[] = []
  #length = 0
  #slab = Buffer.allocUnsafeSlow(slabSize)
  /** The copies that are not in `#parts` yet. */
  #start = 0
  #end = 0

  /** How much is not sent yet. */
  get length(): number {
    return this.#length
  }

  add(socket: Socket, part: Buffer): void {
    if (this.#socket !== socket) {
      // Nobody forgets to send, but if somebody did, another client must not get it.
      if (this.#socket !== null) this.sendTo(this.#socket)
      this.#socket = socket
    }
    this.#length += part.length
    if (part.length > longestCopy) {
      this.#takeCopies()
      this.#parts.push(part)
      return
    }
    if (this.#end + part.length > slabSize) {
      this.#takeCopies()
      this.#slab = Buffer.allocUnsafeSlow(slabSize)
      this.#start = 0
      this.#end = 0
    }
    part.copy(this.#slab, this.#end)
    this.#end += part.length
  }

  /** Returns whether the client keeps up. If it does not, the socket will emit `drain`. */
  sendTo(socket: Socket): boolean {
    if (this.#socket !== socket) return !socket.writableNeedDrain
    this.#socket = null
    const slab = this.#slab
    const start = this.#parts.length === 0 ? this.#start : -1
    this.#takeCopies()
    const parts = this.#parts
    this.#parts = []
    this.#length = 0
    const isTaken = writeAll(socket, parts)
    if (socket.writableLength > 0) return isTaken
    // The system has taken everything, so the memory of the copies is free again.
    if (start !== -1 && slab === this.#slab) {
      this.#start = start
      this.#end = start
    }
    return true
  }

  #takeCopies(): void {
    if (this.#end === this.#start) return
    this.#parts.push(this.#slab.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}

function writeAll(socket: Socket, parts: readonly Buffer[]): boolean {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return socket.write(only)
  socket.cork()
  for (const part of parts) socket.write(part)
  socket.uncork()
  return !socket.writableNeedDrain
}
