import type { Duplex } from 'node:stream'
import { isCutOff } from '../../kernel/sockets/cut-off.ts'

const endOfHead = Buffer.from('\r\n\r\n')

/** Counted by what looks like the end of a head. */
const headsPerPiece = 16
/** So many of the shortest heads have this length. */
const neverSplit = headsPerPiece * 'GET / HTTP/1.1\r\n\r\n'.length

type Listener = (...given: unknown[]) => void

/** Keeps what arrives between two requests until it is due, or until more arrives. */
export class HeldInput {
  readonly #socket: Duplex
  #readers: readonly Listener[]
  readonly #enders: readonly Listener[]
  #held: Buffer | null = null

  /** Takes the place of the listeners that `listen` adds. */
  constructor(socket: Duplex, listen: () => void) {
    this.#socket = socket
    const before = new Set(socket.listeners('end'))
    listen()
    this.#readers = socket.listeners('data') as Listener[]
    this.#enders = (socket.listeners('end') as Listener[]).filter((listener) => !before.has(listener))
    for (const reader of this.#readers) socket.off('data', reader)
    for (const ender of this.#enders) socket.off('end', ender)
    socket.on('end', this.#end)
  }

  get isHeld(): boolean {
    return this.#held !== null
  }

  hold(chunk: Buffer): void {
    this.#held = chunk
  }

  readonly readHeld = (): void => {
    const held = this.#held
    this.#held = null
    if (held !== null) this.#parse(held)
  }

  read(chunk: Buffer): void {
    this.readHeld()
    this.#parse(chunk)
  }

  /** node:http has left the connection. Its parser may read another one by now, so it gets nothing more of this one. */
  stop(): void {
    this.#readers = []
    this.#socket.off('end', this.#end)
  }

  readonly #end = (): void => {
    this.readHeld()
    // Not if what was held was refused: the refusal removes the listeners and is yet to be sent.
    if (!this.#socket.listeners('end').includes(this.#end)) return
    for (const ender of this.#enders) ender.call(this.#socket)
  }

  /**
   * Passes a chunk to node:http in pieces of a few requests, and nothing more once the client is cut off. From one 64 KiB
   * chunk node:http would create a thousand requests and responses, even if the first few get the client cut off.
   */
  #parse(chunk: Buffer): void {
    if (chunk.length <= neverSplit) this.#pass(chunk)
    else for (const piece of splitAfterHeads(chunk)) this.#pass(piece)
  }

  #pass(piece: Buffer): void {
    // node:http resumes the socket if a request was answered before its body was read.
    if (isCutOff(this.#socket)) this.#socket.pause()
    else for (const reader of this.#readers) reader.call(this.#socket, piece)
  }
}

export function* splitAfterHeads(chunk: Buffer): Generator<Buffer> {
  let from = 0
  let heads = 0
  for (let at = chunk.indexOf(endOfHead); at !== -1; at = chunk.indexOf(endOfHead, at + endOfHead.length)) {
    heads++
    if (heads % headsPerPiece !== 0) continue
    yield chunk.subarray(from, at + endOfHead.length)
    from = at + endOfHead.length
  }
  if (from < chunk.length) yield chunk.subarray(from)
}
