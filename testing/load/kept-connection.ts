import { once } from 'node:events'
import type { Socket } from 'node:net'

/** The connection was used before and ended before any byte of the answer. */
export class EndedUnusedError extends Error {
  override readonly name = 'EndedUnusedError'
}

/**
 * Asks the same thing over HTTP/1.1 again and again, on one connection as long as the server keeps it. Bytes are
 * written and read as they are: node:http would take more of the machine than the server it asks.
 */
export class KeptConnection {
  readonly #request: Buffer
  readonly #dial: () => Socket
  /** What tells that a socket can be written to. */
  readonly #ready: 'connect' | 'secureConnect'
  #socket: Socket | null = null

  constructor(request: string, ready: 'connect' | 'secureConnect', dial: () => Socket) {
    this.#request = Buffer.from(request)
    this.#ready = ready
    this.#dial = dial
  }

  /** Resolves to the body of a 200. */
  async ask(): Promise<string> {
    const reused = this.#socket
    const socket = reused ?? (await this.#connect())
    let answer: Answer
    try {
      answer = await exchange(socket, this.#request)
    } catch (error) {
      const isUnused = error instanceof LostError && error.received === 0
      throw reused !== null && isUnused ? new EndedUnusedError('', { cause: error }) : error
    }
    if (answer.isLast) this.close()
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`)
    return answer.body
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  async #connect(): Promise<Socket> {
    const socket = this.#dial().setEncoding('latin1')
    await once(socket, this.#ready)
    const forget = () => {
      socket.destroy()
      if (this.#socket === socket) this.#socket = null
    }
    socket.on('end', forget).on('error', forget).on('close', forget)
    this.#socket = socket
    return socket
  }
}

interface Answer {
  status: number
  body: string
  /** It is the last one on its connection. */
  isLast: boolean
}

class LostError extends Error {
  override readonly name = 'LostError'
  readonly received: number

  constructor(received: number, cause: unknown) {
    super(`The connection ended after ${received} bytes of an answer`, { cause })
    this.received = received
  }
}

function exchange(socket: Socket, request: Buffer): Promise<Answer> {
  let received = ''
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const finish = () => void socket.off('data', read).off('close', lose).off('error', lose).off('end', lose)
  const lose = (cause?: unknown) => {
    finish()
    reject(new LostError(received.length, cause))
  }
  const read = (chunk: string) => {
    received += chunk
    const end = received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = received.slice(0, end)
    const body = received.slice(end + 4)
    const [, length] = /^content-length: *(\d+)/im.exec(head) ?? []
    if (length === undefined) lose(`An answer of unknown length: ${head}`)
    else if (body.length >= Number(length)) {
      finish()
      resolve(answerOf(head, body))
    }
  }
  socket.on('data', read).on('close', lose).on('error', lose).on('end', lose)
  if (socket.destroyed) lose()
  else socket.write(request)
  return promise
}

function answerOf(head: string, body: string): Answer {
  const isLast = /^connection: *close/im.test(head)
  return { status: Number(head.slice(9, 12)), body: Buffer.from(body, 'latin1').toString(), isLast }
}
