import type { Socket } from 'node:net'

const slabSize = 64 * 1024
const maxSpareSlabs = 64

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
  #slab: Buffer = Buffer.allocUnsafeSlow(slabSize)
  /** The copies that are not in `#parts` yet. */
  #start = 0
  #end = 0
  /** What waits for the end of the turn. */
  #waiting = new Map<Socket, Buffer[]>()
  /** Slabs that were filled in this turn, and slabs for the next ones. */
  #filled: Buffer[] = []
  readonly #spare: Buffer[] = []
  /** Whether the system has not taken everything from the slabs of this turn. */
  #isHeld = false

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
      // Only what is sent at the end of the turn is known to be sent.
      if (this.#waiting.size > 0) this.#filled.push(this.#slab)
      this.#changeSlab()
    }
    part.copy(this.#slab, this.#end)
    this.#end += part.length
  }

  /** Returns whether the client keeps up. If it does not, the socket will emit `drain`. */
  sendTo(socket: Socket): boolean {
    const waiting = this.#waiting.get(socket)
    if (waiting !== undefined) {
      this.#waiting.delete(socket)
      this.#write(socket, waiting)
    }
    if (this.#socket === socket) {
      const slab = this.#slab
      const start = this.#parts.length === 0 ? this.#start : -1
      this.#write(socket, this.#takeParts())
      // The system has taken everything, so the memory of the copies is free again.
      if (socket.writableLength === 0 && start !== -1 && slab === this.#slab) {
        this.#start = start
        this.#end = start
      }
    }
    return !socket.writableNeedDrain
  }

  /**
   * Sends it at the end of the turn, after all requests of the turn are answered. One write after the other wakes the
   * clients' side once instead of once per answer, which is most of what a write costs. A second time in a turn it is
   * sent now, or a client that does not read could fill the memory within the turn. Returns whether the client keeps up.
   */
  sendLater(socket: Socket): boolean {
    if (this.#socket !== socket) return !socket.writableNeedDrain
    if (this.#waiting.has(socket)) return this.sendTo(socket)
    if (this.#waiting.set(socket, this.#takeParts()).size === 1) setImmediate(this.#sendAll)
    return true
  }

  readonly #sendAll = (): void => {
    const all = this.#waiting
    this.#waiting = new Map()
    for (const [socket, parts] of all) this.#write(socket, parts)
    if (this.#socket !== null) return
    if (this.#isHeld) this.#changeSlab()
    else {
      for (const slab of this.#filled) if (this.#spare.length < maxSpareSlabs) this.#spare.push(slab)
      this.#start = 0
      this.#end = 0
    }
    this.#filled = []
    this.#isHeld = false
  }

  #write(socket: Socket, parts: readonly Buffer[]): void {
    if (socket.destroyed) return
    const [only] = parts
    if (parts.length === 1 && only !== undefined) socket.write(only)
    else {
      socket.cork()
      for (const part of parts) socket.write(part)
      socket.uncork()
    }
    this.#isHeld ||= socket.writableLength > 0
  }

  #takeParts(): Buffer[] {
    this.#takeCopies()
    const parts = this.#parts
    this.#parts = []
    this.#length = 0
    this.#socket = null
    return parts
  }

  #takeCopies(): void {
    if (this.#end === this.#start) return
    this.#parts.push(this.#slab.subarray(this.#start, this.#end))
    this.#start = this.#end
  }

  #changeSlab(): void {
    this.#slab = this.#spare.pop() ?? Buffer.allocUnsafeSlow(slabSize)
    this.#start = 0
    this.#end = 0
  }
}
