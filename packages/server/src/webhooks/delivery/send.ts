import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Dns } from '../../dns/dns.ts'
import { second } from '../../kernel/clock.ts'
import {
  bareHost,
  isAllowedAddress,
  parseTarget,
  resolveTarget,
  TargetError,
  type TargetRules,
} from './target.ts'

export interface SendTimeouts {
  /** Finding the address, and per address connecting with TLS. */
  resolve: number
  connect: number
  /** From the connection until the headers of the answer. */
  headers: number
  body: number
}

export const sendTimeouts: SendTimeouts = {
  resolve: 5 * second,
  connect: 4 * second,
  headers: 10 * second,
  body: 2 * second,
}

export interface Sending {
  dns: Pick<Dns, 'resolve'>
  rules: TargetRules
  timeouts: SendTimeouts
  /** PEM of a CA to trust besides the usual ones. */
  ca?: string
  stopping?: AbortSignal
}

export interface SendAnswer {
  status: number
  /** The start of the body. */
  text: string
  /** Milliseconds that the endpoint asks us to wait. */
  retryAfter: number | null
}

const maxAddresses = 2
const maxAnswerBytes = 1024
const maxHeaderBytes = 16 * 1024

/** The longest that `send` can take. */
export function longestSend({ resolve, connect, headers, body }: SendTimeouts): number {
  return resolve + maxAddresses * connect + headers + body
}

/** Posts the body. Any answer counts, redirects too, which are not followed. Throws a TargetError if there is none. */
export async function send(
  sending: Sending,
  target: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<SendAnswer> {
  const { dns, rules, timeouts, stopping } = sending
  const url = parseTarget(target, rules)
  const resolving = within(timeouts.resolve, stopping)
  const addresses = await resolveTarget(dns, url, rules, resolving)
  const socket = await connectToFirst(sending, url, addresses.slice(0, maxAddresses))
  try {
    const req = request({
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        'user-agent': 'Masthead-Webhooks',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
        ...headers,
      },
      createConnection: () => socket,
      maxHeaderSize: maxHeaderBytes,
    })
    const answer = await readHead(req, body, within(timeouts.headers, stopping))
    const text = await readStart(answer, within(timeouts.body, stopping))
    return { status: answer.statusCode ?? 0, text, retryAfter: retryAfterOf(answer) }
  } finally {
    socket.destroy()
  }
}

function within(ms: number, stopping: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(ms)
  return stopping === undefined ? timeout : AbortSignal.any([timeout, stopping])
}

async function connectToFirst(sending: Sending, url: URL, addresses: readonly string[]): Promise<Socket> {
  let fault: unknown
  for (const address of addresses) {
    try {
      return await connectTo(sending, url, address)
    } catch (error) {
      sending.stopping?.throwIfAborted()
      fault = error
    }
  }
  throw fault
}

/** Connects to exactly this address, and checks where the connection has really gone before anything is sent. */
async function connectTo(
  { rules, timeouts, ca, stopping }: Sending,
  url: URL,
  host: string,
): Promise<Socket> {
  const signal = within(timeouts.connect, stopping)
  const isSecure = url.protocol === 'https:'
  const socket = connect({ host, port: Number(url.port) || (isSecure ? 443 : 80) })
  const sockets: Socket[] = [socket]
  // Whoever waits gets the error by then; a later one must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, 'connect', { signal })
    if (!isAllowedAddress(socket.remoteAddress ?? '', rules)) {
      throw new TargetError('The connection led to a private address')
    }
    if (!isSecure) return socket
    const name = bareHost(url)
    const servername = isIP(name) === 0 ? name : ''
    const secure: TLSSocket = connectTls({
      socket,
      servername,
      host: name,
      ALPNProtocols: ['http/1.1'],
      ...trust(ca),
    })
    secure.on('error', () => {})
    sockets.push(secure)
    await once(secure, 'secureConnect', { signal })
    return secure
  } catch (error) {
    for (const one of sockets) one.destroy()
    throw describe(error, 'connect')
  }
}

function trust(ca: string | undefined) {
  return ca === undefined ? {} : { ca }
}

async function readHead(req: ClientRequest, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  req.on('error', () => {})
  req.end(body)
  try {
    const [answer] = (await once(req, 'response', { signal })) as [IncomingMessage]
    answer.on('error', () => {})
    return answer
  } catch (error) {
    throw describe(error, 'headers')
  }
}

/** The status says everything already: a body that is cut off or late is shown as far as it came. */
async function readStart(answer: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const end = () => answer.destroy()
  signal.addEventListener('abort', end, { once: true })
  try {
    for await (const chunk of answer) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes >= maxAnswerBytes) break
    }
  } catch {
  } finally {
    signal.removeEventListener('abort', end)
  }
  const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString()
  // PostgreSQL stores no NUL, and a terminal should not obey an answer.
  return text.replaceAll(/[^\P{C}\n\t]/gu, '\ufffd')
}

function retryAfterOf({ statusCode, headers }: IncomingMessage): number | null {
  if (statusCode !== 429 && statusCode !== 503) return null
  const seconds = /^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0]
  return seconds === undefined ? null : Number(seconds) * second
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed before there was an answer',
  EPIPE: 'The connection was closed before there was an answer',
  EHOSTUNREACH: 'The address is unreachable',
  ENETUNREACH: 'The address is unreachable',
  ENOTFOUND: 'The address is unreachable',
  EPROTO: 'The TLS handshake failed',
  CERT_HAS_EXPIRED: 'The certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too large',
}

/** Leaves out details of our own network and libraries. */
function describe(error: unknown, phase: 'connect' | 'headers'): Error {
  if (error instanceof TargetError) return error
  const { name, code = '' } = error as NodeJS.ErrnoException
  if (name === 'AbortError') {
    return new TargetError(
      phase === 'connect' ? 'No connection in time' : 'The endpoint did not answer in time',
      { cause: error },
    )
  }
  if (Object.hasOwn(words, code)) return new TargetError(words[code], { cause: error })
  if (code.startsWith('HPE_')) return new TargetError('The answer was not HTTP', { cause: error })
  if (/CERT|SIGNATURE|ISSUER/.test(code))
    return new TargetError(`The certificate is not trusted (${code})`, { cause: error })
  if (code.startsWith('ERR_SSL_')) return new TargetError('The TLS handshake failed', { cause: error })
  return new TargetError('The request failed', { cause: error })
}
