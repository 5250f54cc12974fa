import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { InstalledCertificate } from '../../certificates/read.ts'
import { readPemChain } from '../../certificates/x509/issued-certificate.ts'
import { second } from '../../kernel/clock.ts'
import { printableText } from '../../kernel/escape-text.ts'

/** Where somebody listens. */
export interface HostPort {
  host: string
  port: number
}

/** The request was not answered as it should be; the message says how. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError'
}

const usualDeadline = 5 * second
const wrongConnection = 421

/**
 * Asks for the first page of a name over HTTPS, as a visitor would who trusts the chain that is in store and nothing
 * else. Any answer will do, because whoever has the key to that certificate is us; but 421 says that the name is not
 * served. Gives the address that answered.
 */
export function requestOverHttps(
  name: string,
  { chain, serial }: Pick<InstalledCertificate, 'chain' | 'serial'>,
  { host, port }: HostPort,
  deadline = usualDeadline,
): Promise<string> {
  const root = readPemChain(chain)?.at(-1)
  if (root === undefined) throw new Error(`The chain of ${name} cannot be read`)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const asking = request({
    host,
    port,
    servername: name,
    path: '/',
    headers: { Host: port === 443 ? name : `${name}:${port}`, 'User-Agent': 'Masthead-Probe' },
    agent: false,
    signal: AbortSignal.timeout(deadline),
    ca: String(root),
    allowPartialTrustChain: true,
  })
  asking.on('response', (response) => {
    const socket = response.socket as TLSSocket
    const served = socket.getPeerX509Certificate()?.serialNumber.toLowerCase()
    if (served !== serial) reject(new ProbeError(`The certificate served is ${served}, not ${serial}`))
    else if (response.statusCode === wrongConnection) reject(new ProbeError('The edge answered 421'))
    else resolve(socket.remoteAddress ?? host)
    asking.destroy()
  })
  asking.on('error', (error) => reject(new ProbeError(describeError(error), { cause: error })))
  asking.end()
  return promise
}

const words: Readonly<Record<string, string>> = {
  ABORT_ERR: 'There was no answer in time',
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed before there was an answer',
  EHOSTUNREACH: 'There is no way to the address',
  ENETUNREACH: 'There is no way to the address',
  EPROTO: 'The handshake failed',
}

/** Without the details of our own network and libraries, which are nobody else's business. */
function describeError({ code = '', reason }: NodeJS.ErrnoException & { reason?: string }): string {
  if (Object.hasOwn(words, code)) return words[code] ?? code
  if (code.startsWith('HPE_')) return 'The answer was not HTTP'
  if (code.startsWith('ERR_SSL_')) return `The handshake failed: ${printableText(reason ?? code)}`
  return `The certificate that is served is not the one in store (${code})`
}
