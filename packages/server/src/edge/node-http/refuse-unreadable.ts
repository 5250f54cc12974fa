import { IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { unreadablePath } from '../../kernel/problem.ts'
import { servernameOf } from '../sites/host.ts'
import { closeLingering } from '../sockets/close-connection.ts'
import { beforeHead } from './finish-requests.ts'
import { ObservedResponse } from './observed-response.ts'

const statusByCode = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
])

export type UnreadableError = Error & { code?: string; rawPacket?: Buffer }

/** Answers malformed requests that are not for a site. */
export interface Refuser {
  platform: RequestListener
  isSite: (host: string) => boolean
}

export interface Refusal {
  /** For input that is not valid HTTP, so that there is no request object. */
  refuse(error: UnreadableError, socket: Duplex): void
  /** Refuses requests without exactly one Host field (RFC 9112, 3.2). */
  requireOneHost(listener: RequestListener): RequestListener
}

/** Without a refuser every answer is plain text, as for a site. */
export function createRefusal(refuser: Refuser | null = null): Refusal {
  // The parser reports everything that arrives afterwards again.
  const refused = new WeakSet<Duplex>()
  return {
    refuse(error, socket) {
      if (refused.has(socket)) return
      refused.add(socket)
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy()
        return
      }
      const status = statusByCode.get(error.code ?? '') ?? 400
      const host = servernameOf(socket) ?? hostIn(error.rawPacket)
      if (refuser === null || isAnswering(socket) || (host !== null && refuser.isSite(host))) {
        refusePlainly(status, socket)
      } else refuser.platform(...substituteRequest(status, socket as Socket))
    },
    requireOneHost: (listener) => (req, res) => {
      const hosts = countHosts(req)
      if (hosts === 1 || (hosts === 0 && req.httpVersion === '1.0')) {
        listener(req, res)
        return
      }
      closeAfter(res)
      if (refuser === null) res.writeHead(400, { 'Content-Type': plainText }).end(lineOf(400))
      else {
        req.url = `${unreadablePath}/400`
        refuser.platform(req, res)
      }
    },
  }
}

const plainText = 'text/plain; charset=utf-8'

const lineOf = (status: number) => `${status} ${STATUS_CODES[status]}\n`

function refusePlainly(status: number, socket: Duplex): void {
  const text = lineOf(status)
  const head = `HTTP/1.1 ${text.trimEnd()}\r\nConnection: close\r\nContent-Type: ${plainText}\r\n`
  socket.end(`${head}Content-Length: ${text.length}\r\n\r\n${text}`, () => socket.destroy())
}

/** A substitute request, whose answer is the last of its connection. */
function substituteRequest(status: number, socket: Socket): [IncomingMessage, ServerResponse] {
  const req = new IncomingMessage(socket)
  const about = { method: 'GET', url: `${unreadablePath}/${status}`, complete: true }
  Object.assign(req, about, { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 })
  req.push(null)
  const res = new ObservedResponse(req)
  closeAfter(res)
  res.assignSocket(socket)
  // With node:http's listeners, a half-closed client would not get the answer.
  socket.removeAllListeners('end')
  res.once('finish', () => closeLingering(socket))
  return [req, res]
}

function closeAfter(res: ServerResponse): void {
  beforeHead(res, () => res.setHeader('Connection', 'close'))
}

/** Whether an answer is being written to the connection: nothing may be written in between. */
function isAnswering(socket: Duplex): boolean {
  return (Reflect.get(socket, '_httpMessage') ?? null) !== null
}

/** The host in the part of the head that was received; null if there is none, or several. */
function hostIn(bytes: Buffer | undefined): string | null {
  const lines = bytes?.toString('latin1').matchAll(/^host:(.*)$/gim) ?? []
  const hosts = new Set(Array.from(lines, ([, host = '']) => host.trim().toLowerCase()))
  const [host = null] = hosts
  return hosts.size === 1 ? host : null
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
