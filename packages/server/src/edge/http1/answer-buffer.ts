import type { SiteSocket } from '../sockets/site-socket.ts'

const slabSize = 128 * 1024
const maxSpareSlabs = 64

/** Longer parts are written as they are: copying them would cost more than it saves. */
const longestCopy = 16 * 1024

/** Once so much waits to be sent, the client does not keep up. */
const maxUnsent = 64 * 1024

/** Memory for copies, used again once the system has taken everything in it. */
class Slab {
  readonly bytes: Buffer = Buffer.allocUnsafeSlow(slabSize)
  users = 0
  readonly onWritten = (): void => {
    this.users--
  }
}

/** What is written to a socket at once. */
interface Batch {
  bytes: Buffer | Buffer[]
  onWritten: () => void
}

export function keepsUp(socket: SiteSocket): boolean {
  return socket.unsent < maxUnsent
}

/**
 * Collects what one read of a socket produces, and sends it in one write. Short parts are copied next to each other. All
 * connections share one buffer, one after the other.
 */
export class AnswerBuffer {
  /** Whose parts these are. */
  #socket: SiteSocket | null = null
  #parts: Buffer[] = []
  #slabs: Slab[] = []
  #length = 0
  #slab = new Slab()
  /** The copies that are not in `#parts` yet. */
  #start = 0
  #end = 0
  readonly #full: Slab[] = []

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
    const { length } = part
    this.#length += length
    if (length > longestCopy) {
      this.#takeCopies()
      this.#parts.push(part)
      return
    }
    if (this.#slab.users === 0 && this.#start === this.#end) {
      this.#start = 0
      this.#end = 0
    }
    if (this.#end + length > slabSize) {
      this.#takeCopies()
      this.#changeSlab()
    }
    part.copy(this.#slab.bytes, this.#end)
    this.#end += length
  }

  /** Returns whether the client keeps up. */
  sendTo(socket: SiteSocket): boolean {
    if (this.#socket === socket) {
      const { bytes, onWritten } = this.#take()
      socket.write(bytes, onWritten)
    }
    return keepsUp(socket)
  }

  /** Sends it at the end of the turn. Returns whether the client keeps up. */
  sendLater(socket: SiteSocket): boolean {
    if (this.#socket === socket) {
      const { bytes, onWritten } = this.#take()
      socket.writeLater(bytes, onWritten)
    }
    return keepsUp(socket)
  }

  /** Sends it with a long part at its end, which is not copied. */
  sendWith(socket: SiteSocket, part: Buffer, onWritten: () => void): void {
    // TLS would copy them together.
    if (socket.isSecure || this.#socket !== socket) {
      this.sendTo(socket)
      socket.write(part, onWritten)
      return
    }
    const { bytes, onWritten: release } = this.#take()
    socket.write([bytes, part].flat(), () => {
      release()
      onWritten()
    })
  }

  #take(): Batch {
    this.#takeCopies()
    const parts = this.#parts
    const slabs = this.#slabs
    this.#parts = []
    this.#slabs = []
    this.#length = 0
    this.#socket = null
    const [bytes] = parts
    const [slab] = slabs
    if (parts.length === 1 && bytes !== undefined) return { bytes, onWritten: slab?.onWritten ?? doNothing }
    return {
      bytes: parts,
      onWritten() {
        for (const each of slabs) each.onWritten()
      },
    }
  }

  #takeCopies(): void {
    if (this.#end === this.#start) return
    const slab = this.#slab
    slab.users++
    this.#slabs.push(slab)
    this.#parts.push(slab.bytes.subarray(this.#start, this.#end))
    this.#start = this.#end
  }

  #changeSlab(): void {
    if (this.#full.length < maxSpareSlabs) this.#full.push(this.#slab)
    const free = this.#full.findIndex(({ users }) => users === 0)
    const [spare] = free === -1 ? [] : this.#full.splice(free, 1)
    this.#slab = spare ?? new Slab()
    this.#start = 0
    this.#end = 0
  }
}

function doNothing(): void {}
