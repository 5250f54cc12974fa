import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { type ClientHttp2Session, connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { MastheadProcess } from '../masthead-process.ts'
import { requirePeer } from '../peers/peers.ts'
import { trusting } from './tls-client.ts'

export interface Visit {
  status: number
  body: string
}

/** Asks for a path of a site, as a browser does that knows where `*.localhost` is; not every resolver does. */
export function visit(masthead: MastheadProcess, slug: string, path: string): Promise<Visit> {
  return visitHost(masthead, `${slug}.masthead.localhost`, path)
}

/** The same for a host of any name, wherever the DNS of this machine would lead. */
export function visitHost({ httpPort }: MastheadProcess, hostname: string, path = '/'): Promise<Visit> {
  const { promise, resolve, reject } = Promise.withResolvers<Visit>()
  const headers = { host: `${hostname}:${httpPort}` }
  request({ host: '127.0.0.1', port: httpPort, path, headers, agent: false })
    .on('error', reject)
    .on('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
    .end()
  return promise
}

export interface Http2Visit extends Visit {
  headers: Record<string, string | string[] | undefined>
}

/** One connection of HTTP/2 that is kept open: every request is a stream of this one, or fails. */
export class Http2Connection implements Disposable {
  readonly #session: ClientHttp2Session

  /** With the certificate for this name under this root, or not at all. */
  static async to(port: number, servername: string, root: string): Promise<Http2Connection> {
    const session = connect(`https://127.0.0.1:${port}`, {
      servername,
      secureContext: trusting(root),
    })
    await once(session, 'connect')
    return new Http2Connection(session)
  }

  private constructor(session: ClientHttp2Session) {
    this.#session = session.on('error', () => {})
  }

  async ask(host: string, path = '/', fields: Record<string, string> = {}): Promise<Http2Visit> {
    const stream = this.#session.request({ ':authority': host, ':path': path, ...fields })
    const [{ ':status': status = 0, ...headers }] = await once(stream, 'response')
    const body = await text(stream.setEncoding('utf8'))
    // A connection that is lost ends the stream without an error.
    if (stream.rstCode !== 0 || stream.aborted) throw new Error('The connection was lost in the middle')
    return { status, headers, body }
  }

  [Symbol.dispose](): void {
    this.#session.destroy()
  }
}

export interface CurlAnswer {
  status: number
  version: string
  /** Where it leads, or an empty string. */
  location: string
  body: string
}

/** What curl gets from this machine for a URL of any name. It trusts the roots in `rootFile` and no others. */
export async function curl(url: string, rootFile: string, ...options: string[]): Promise<CurlAnswer> {
  const { hostname, port } = new URL(url)
  const here = ['--resolve', `${hostname}:${port}:127.0.0.1`, '--noproxy', '*', '--cacert', rootFile]
  const told = ['--silent', '--show-error', '--write-out', '\n%{http_code} %{http_version} %{redirect_url}']
  const { stdout } = await promisify(execFile)(requirePeer('curl'), [...here, ...told, ...options, url])
  const end = stdout.lastIndexOf('\n')
  const [status, version = '', location = ''] = stdout.slice(end + 1).split(' ')
  return { status: Number(status), version, location, body: stdout.slice(0, end) }
}
