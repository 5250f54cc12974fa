import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import type { Visit } from './visit.ts'

export interface Http2Visit extends Visit {
  headers: Record<string, string | string[] | undefined>
}

/** One connection of HTTP/2 that is kept open: every request is a stream of this one, or fails. */
export class Http2Connection implements Disposable {
  readonly #session: ClientHttp2Session

  /** With the certificate for this name under this root, or not at all. */
  static async to(port: number, servername: string, root: string): Promise<Http2Connection> {
    const session = connect(`https://127.0.0.1:${port}`, { servername, ca: root })
    await once(session, 'connect')
    return new Http2Connection(session)
  }

  private constructor(session: ClientHttp2Session) {
    this.#session = session.on('error', () => {})
  }

  async ask(host: string, path = '/'): Promise<Http2Visit> {
    const stream = this.#session.request({ ':authority': host, ':path': path })
    const [{ ':status': status = 0, ...headers }] = await once(stream, 'response')
    return { status, headers, body: await text(stream.setEncoding('utf8')) }
  }

  [Symbol.dispose](): void {
    this.#session.destroy()
  }
}
