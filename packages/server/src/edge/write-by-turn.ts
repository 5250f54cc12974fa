import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Null where the socket must be written by its stream. */
export type OpenOutlet = (socket: Duplex) => Outlet | null

/**
 * Writes to sockets without a stream between, and to all that were given something in a turn of the event loop one
 * after the other at the end of it: what happens for every write then finds its code and data still warm.
 */
export function createTurnWriter(): OpenOutlet {
  if (!nodeMakesRequests()) return () => null
  let given: Outlet[] = []
  const writeAll = () => {
    const all = given
    given = []
    for (const outlet of all) outlet.writeNow()
  }
  const writeLater = (outlet: Outlet) => {
    if (given.push(outlet) === 1) setImmediate(writeAll)
  }
  return (socket) => (hasHandle(socket) ? new Outlet(socket, writeLater) : null)
}

/** One way out of a socket. What its stream is to write has to wait until all went out here (`afterAll`). */
export class Outlet {
  readonly #socket: HandledSocket
  readonly #handle: WritableHandle
  readonly #writeLater: (outlet: Outlet) => void
  #next: Buffer | null = null
  #isDue = false
  /** node allows one write at a time. */
  #isWriting = false
  #afterwards: (() => void)[] = []

  constructor(socket: HandledSocket, writeLater: (outlet: Outlet) => void) {
    this.#socket = socket
    this.#handle = socket._handle
    this.#writeLater = writeLater
  }

  get isIdle(): boolean {
    return this.#next === null && !this.#isWriting
  }

  /** Whether it was taken: not while there is something that was not written yet. */
  give(bytes: Buffer): boolean {
    if (this.#next !== null) return false
    this.#next = bytes
    this.#isDue = true
    this.#writeLater(this)
    return true
  }

  afterAll(act: () => void): void {
    if (this.isIdle) act()
    else this.#afterwards.push(act)
  }

  /** At the end of the turn. */
  writeNow(): void {
    this.#isDue = false
    if (!this.#isWriting) this.#write()
  }

  #write(): void {
    const bytes = this.#next
    const handle = this.#handle
    // It has none any more when it is closed.
    if (bytes === null || this.#socket._handle !== handle) return
    this.#next = null
    this.#isWriting = true
    const request = handle.writeBuffer(null, bytes)
    if (typeof request === 'number') {
      this.#written(request)
      return
    }
    // What is written must not be collected before it is. A request that is refused at once would never complete: that
    // takes a socket which was ended, and nothing is given to one. Were it so, who closes idle connections ends it.
    request.buffer = bytes
    request.oncomplete = this.#written
    const status = request.writeStatus
    if (status !== null) this.#written(status)
  }

  readonly #written = (status: number): void => {
    this.#isWriting = false
    if (status < 0) this.#socket.destroy()
    else if (this.#next === null) {
      if (this.#afterwards.length > 0) this.#actAfterwards()
    } else if (!this.#isDue) this.#write()
  }

  #actAfterwards(): void {
    const acts = this.#afterwards
    this.#afterwards = []
    for (const act of acts) act()
  }
}

interface WriteRequest {
  buffer?: Buffer
  oncomplete?: (status: number) => void
  /** Not null: it was written before anybody could listen. */
  writeStatus: number | null
}

interface WritableHandle {
  /** A number where it is over already: 0, or what went wrong. */
  writeBuffer(request: null, bytes: Buffer): WriteRequest | number
}

interface HandledSocket extends Socket {
  readonly _handle: WritableHandle
}

function hasHandle(socket: Duplex): socket is HandledSocket {
  const handle: unknown = socket instanceof Socket ? Reflect.get(socket, '_handle') : null
  return typeof handle === 'object' && handle !== null && 'writeBuffer' in handle
}

/** Whether this node has the handle make the request of a write, as is assumed above: seen by how it writes itself. */
function nodeMakesRequests(): boolean {
  let makesThem = false
  const handle = {
    writeBuffer(request: unknown): number {
      makesThem = request === null
      return 0
    },
  }
  const sample = new Socket()
  Reflect.set(sample, '_handle', handle)
  sample.write(Buffer.alloc(1))
  return makesThem
}
