import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely, TLSSocket } from 'node:tls'
import { trusting } from './tls-client.ts'
import type { Visit } from './visit.ts'

/** Of an answer that is arriving: where its body starts and ends in what was received. */
interface AnswerHead {
  status: number
  bodyStart: number
  end: number
}

/** One connection to a server that is kept open: every request goes over this one, or fails. */
export class OpenConnection implements Disposable {
  readonly #socket: Socket
  #received = ''
  #head: AnswerHead | null = null
  #waiting: PromiseWithResolvers<Visit> | null = null

  static async to(port: number): Promise<OpenConnection> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await once(socket, 'connect')
    return new OpenConnection(socket)
  }

  /** Over TLS, with the certificate for this name under this root; by a session from before, if there is one. */
  static async securelyTo(
    port: number,
    servername: string,
    root: string,
    session?: Buffer,
  ): Promise<OpenConnection> {
    const at = { host: '127.0.0.1', port, servername, secureContext: trusting(root), session }
    const socket = connectSecurely({ ...at, ALPNProtocols: ['http/1.1'] }).setNoDelay()
    await once(socket, 'secureConnect')
    return new OpenConnection(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    // A character a byte, so that lengths hold.
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text
      this.#read()
    })
    socket.on('error', (error) => this.#waiting?.reject(error))
    socket.on('close', () => this.#waiting?.reject(new Error('The server closed the connection')))
  }

  get isResumed(): boolean {
    return this.#socket instanceof TLSSocket && this.#socket.isSessionReused()
  }

  ask(host: string, path = '/'): Promise<Visit> {
    return this.send('GET', host, path)
  }

  /** One at a time. */
  send(method: string, host: string, path: string, headers: Record<string, string> = {}): Promise<Visit> {
    const waiting = Promise.withResolvers<Visit>()
    this.#waiting = waiting
    let head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n`
    for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`
    if (this.#socket.destroyed) waiting.reject(new Error('The connection is closed'))
    else this.#socket.write(`${head}\r\n`)
    return waiting.promise
  }

  #read(): void {
    if (this.#waiting === null) return
    this.#head ??= this.#readHead(this.#waiting)
    if (this.#head === null || this.#received.length < this.#head.end) return
    const { status, bodyStart, end } = this.#head
    const body = this.#received.slice(bodyStart, end)
    this.#received = this.#received.slice(end)
    this.#head = null
    this.#waiting.resolve({ status, body })
  }

  /** Once per answer, since looking into what has arrived puts all of its pieces together. */
  #readHead(waiting: PromiseWithResolvers<Visit>): AnswerHead | null {
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd === -1) return null
    const head = this.#received.slice(0, headEnd)
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1])
    if (Number.isNaN(length)) {
      waiting.reject(new Error(`An answer of unknown length:\n${head}`))
      return null
    }
    const bodyStart = headEnd + 4
    return { status: Number(head.split(' ')[1]), bodyStart, end: bodyStart + length }
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}
