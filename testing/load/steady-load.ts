import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  port: number
  host: string
  path: string
  fields?: Record<string, string>
  connections: number
}

/** What became of a client that asks one thing after the other on one connection. */
interface ClientEnd {
  answered: number
  /** The answer said that it is the last one on its connection. */
  toldToClose: boolean
  /** The connection was gone before an answer to a request was there in full. */
  wasCut: boolean
}

/** Clients that ask as fast as they are answered, each on a connection that it keeps, until the server ends it. */
export class SteadyLoad {
  readonly #clients: Promise<ClientEnd>[]
  #answered = 0

  constructor(options: LoadOptions) {
    this.#clients = Array.from({ length: options.connections }, () => this.#ask(options))
  }

  /** So far. */
  get answered(): number {
    return this.#answered
  }

  ended(): Promise<ClientEnd[]> {
    return Promise.all(this.#clients)
  }

  async #ask({ port, host, path, fields = {} }: LoadOptions): Promise<ClientEnd> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }).setEncoding('latin1')
    await once(socket, 'connect')
    const lines = Object.entries({ Host: host, ...fields }).map(([name, value]) => `${name}: ${value}\r\n`)
    const request = `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
    const end: ClientEnd = { answered: 0, toldToClose: false, wasCut: false }
    while (!end.toldToClose && !end.wasCut) {
      socket.write(request)
      const head = await answerOn(socket)
      if (head === null) {
        end.wasCut = true
        break
      }
      end.answered++
      this.#answered++
      end.toldToClose = /^connection: *close/im.test(head)
    }
    socket.destroy()
    return end
  }
}

/** The head of an answer that arrived in full; null where the connection ended before. */
function answerOn(socket: Socket): Promise<string | null> {
  let text = ''
  return new Promise((resolve) => {
    const finish = (head: string | null) => {
      socket.off('data', read).off('close', lose).off('error', lose)
      resolve(head)
    }
    const lose = () => finish(null)
    const read = (chunk: string) => {
      text += chunk
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = text.slice(0, end)
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
      if (text.length >= end + 4 + length) finish(head)
    }
    socket.on('data', read).on('close', lose).on('error', lose)
  })
}
