import type { Duplex } from 'node:stream'
import { ignoreError } from './ignore-error.ts'
import { LaneWriter, type ReadyAnswer } from './lane-writer.ts'
import { remember } from './remember.ts'
import { type RequestHead, readRequestHead } from './request-head.ts'
import { servernameOf } from './servername.ts'

/** A promise where it is worth asking again once that has settled; null where node:http must see to it. */
export type LaneAnswer = ReadyAnswer | Promise<unknown> | null

export interface FastLaneParts {
  /** `servername`: the name that the TLS handshake was for; null over plain HTTP. */
  answer: (request: RequestHead, servername: string | null) => LaneAnswer
  /** Takes a connection for the rest of its life. What the lane did not answer is still to be read from it. */
  handOver: (socket: Duplex) => void
}

export interface FastLane {
  enter(socket: Duplex): void
  /** Ends the connections of the lane, each after what it was answered; one that waits is left to node:http. */
  close(): void
}

/**
 * Answers plain requests for what is in memory straight on the socket. Whatever is not beyond doubt goes to
 * node:http and its connection with it, so that no request is ever read by two parsers in part.
 */
export function createFastLane({ answer, handOver }: FastLaneParts): FastLane {
  const connections = new Set<LaneConnection>()
  const writer = new LaneWriter()
  // A client says nearly the same from request to request, and many clients say the same.
  const readHead = remember(1000, readRequestHead, 1024)
  return {
    enter(socket) {
      const leave = () => connections.delete(connection)
      const connection = new LaneConnection(socket, { answer, handOver, writer, readHead, leave })
      connections.add(connection)
    },
    close() {
      for (const connection of connections) connection.close()
    },
  }
}

/** For the site, then for the content. What is not there after that has its reasons, which node:http's way tells. */
const mostWaits = 2

interface LaneParts extends FastLaneParts {
  writer: LaneWriter
  readHead: (text: string) => RequestHead | null
  leave: () => void
}

class LaneConnection {
  readonly #socket: Duplex
  readonly #parts: LaneParts
  readonly #servername: string | null
  /** What was not answered yet because something is being loaded for it. */
  #waiting: Buffer | null = null

  constructor(socket: Duplex, parts: LaneParts) {
    this.#socket = socket
    this.#parts = parts
    this.#servername = servernameOf(socket)
    socket.on('data', this.#read)
    socket.on('drain', this.#resume)
    socket.on('end', this.#finish)
    socket.on('error', ignoreError)
    socket.on('close', this.#leave)
  }

  close(): void {
    if (this.#waiting === null) this.#end()
    else this.#handOver(this.#waiting)
  }

  /** Does not wait for the other side to close as well: it may never do. */
  #end(): void {
    this.#stopReading()
    this.#socket.end(() => this.#socket.destroy())
  }

  readonly #read = (chunk: Buffer): void => {
    if (this.#waiting === null) this.#answerAll(chunk, 0)
    else this.#handOver(Buffer.concat([this.#waiting, chunk]))
  }

  #answerAll(chunk: Buffer, waits: number): void {
    const socket = this.#socket
    const text = chunk.toString('latin1')
    let at = 0
    while (at < text.length) {
      const end = text.indexOf('\r\n\r\n', at) + 4
      const request = end < 4 ? null : this.#parts.readHead(text.slice(at, end))
      const answer = request === null ? null : this.#parts.answer(request, this.#servername)
      if (request === null || answer === null) {
        this.#handOver(chunk.subarray(at))
        return
      }
      if (answer instanceof Promise) {
        this.#answerAfter(answer, chunk.subarray(at), at === 0 ? waits : 0)
        return
      }
      at = end
      // More was asked in the same breath, so the answers leave together.
      if (at < text.length && socket.writableCorked === 0) socket.cork()
      const hasRoom = this.#parts.writer.write(socket, answer, request.keepAlive)
      if (!request.keepAlive) {
        this.#end()
        return
      }
      if (!hasRoom && this.#isBehind()) {
        this.#readLater(chunk.subarray(at))
        return
      }
    }
    socket.uncork()
  }

  /** Reading goes on meanwhile, so that it is seen when the client leaves. */
  #answerAfter(loading: Promise<unknown>, unread: Buffer, waits: number): void {
    this.#socket.uncork()
    this.#waiting = unread
    const goOn = () => {
      if (this.#waiting !== unread) return
      this.#waiting = null
      this.#answerAll(unread, waits + 1)
    }
    loading.then(goOn, goOn)
    if (waits === mostWaits) this.#handOver(unread)
  }

  /** Whether the client has yet to take what was written, after all of it was offered. */
  #isBehind(): boolean {
    this.#socket.uncork()
    return this.#socket.writableLength > 0
  }

  /** Who does not read is not read from: what else they ask stays where it is until the socket drains. */
  #readLater(unread: Buffer): void {
    this.#socket.pause()
    if (unread.length > 0) this.#socket.unshift(unread)
  }

  #handOver(unread: Buffer): void {
    const socket = this.#socket
    socket.uncork()
    this.#stopReading()
    socket.off('error', ignoreError)
    socket.off('close', this.#leave)
    this.#leave()
    this.#parts.handOver(socket)
    socket.unshift(unread)
  }

  #stopReading(): void {
    this.#waiting = null
    this.#socket.off('data', this.#read)
    this.#socket.off('drain', this.#resume)
    this.#socket.off('end', this.#finish)
  }

  readonly #resume = (): void => {
    this.#socket.resume()
  }

  /** As node:http does: who leaves before the answer is there does not get it. */
  readonly #finish = (): void => {
    this.#waiting = null
    this.#socket.end()
  }

  readonly #leave = (): void => {
    this.#waiting = null
    this.#parts.leave()
  }
}
