import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Dns } from '../dns/dns.ts'
import { isIP } from '../kernel/ip-address.ts'
import {
  bareHost,
  isAllowedAddress,
  PrivateAddressError,
  resolveTarget,
  TargetError,
  type TargetRules,
} from './target.ts'

export interface ConnectTimeouts {
  /** Finding the address, and per address connecting with TLS. */
  resolve: number
  connect: number
}

/** How we connect to addresses that strangers gave us. */
export interface Outgoing {
  dns: Pick<Dns, 'resolve'>
  rules: TargetRules
  timeouts: ConnectTimeouts
  stopping?: AbortSignal
}

const maxAddresses = 2

/** The longest that `connectToTarget` can take. */
export function longestConnect({ resolve, connect }: ConnectTimeouts): number {
  return resolve + maxAddresses * connect
}

/** A connection to the host of a URL that a stranger gave us, never to a private address. */
export async function connectToTarget(outgoing: Outgoing, url: URL): Promise<Socket> {
  const { dns, rules, timeouts, stopping } = outgoing
  const resolving = within(timeouts.resolve, stopping)
  const addresses = await resolveTarget(dns, url, rules, resolving).catch((error: unknown) => {
    stopping?.throwIfAborted()
    if (error instanceof TargetError || !resolving.aborted) throw error
    throw new TargetError(`We found no address of ${bareHost(url)} in time`, { cause: error })
  })
  return connectToFirst(outgoing, url, addresses.slice(0, maxAddresses))
}

export function within(ms: number, stopping: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(ms)
  return stopping === undefined ? timeout : AbortSignal.any([timeout, stopping])
}

async function connectToFirst(outgoing: Outgoing, url: URL, addresses: readonly string[]): Promise<Socket> {
  let fault: unknown
  for (const address of addresses) {
    try {
      return await connectTo(outgoing, url, address)
    } catch (error) {
      outgoing.stopping?.throwIfAborted()
      // The preferred address says most: the other one often is another kind of network that nobody listens on.
      fault ??= error
    }
  }
  throw fault
}

/** Connects to exactly this address, and checks where the connection has really gone before anything is sent. */
async function connectTo({ rules, timeouts, stopping }: Outgoing, url: URL, host: string): Promise<Socket> {
  const signal = within(timeouts.connect, stopping)
  const isSecure = url.protocol === 'https:'
  const socket = connect({ host, port: Number(url.port) || (isSecure ? 443 : 80) })
  const sockets: Socket[] = [socket]
  // The caller has the error by then; a later one must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, 'connect', { signal })
    if (!isAllowedAddress(socket.remoteAddress ?? '', rules)) {
      throw new PrivateAddressError('The connection led to a private address')
    }
    if (!isSecure) return socket
    const name = bareHost(url)
    const servername = isIP(name) === 0 ? name : ''
    const secure: TLSSocket = connectTls({
      socket,
      servername,
      host: name,
      ALPNProtocols: ['http/1.1'],
    })
    secure.on('error', () => {})
    sockets.push(secure)
    await once(secure, 'secureConnect', { signal })
    return secure
  } catch (error) {
    for (const one of sockets) one.destroy()
    throw describeFailure(error, 'connect')
  }
}

/** The answer to a request, once its headers are there. */
export async function readHead(req: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  req.on('error', () => {})
  // Nothing that we could read follows.
  const switched = once(req, 'upgrade', { signal }).then(() => {
    throw new TargetError('The endpoint answered 101 to change the protocol')
  })
  try {
    const response = once(req, 'response', { signal })
    const [answer] = (await Promise.race([response, switched])) as [IncomingMessage]
    answer.on('error', () => {})
    return answer
  } catch (error) {
    throw describeFailure(error, 'headers')
  }
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
function describeFailure(error: unknown, phase: 'connect' | 'headers'): Error {
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
