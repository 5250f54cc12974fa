import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { InstalledCertificate } from '../../certificates/read.ts'
import { readPemChain } from '../../certificates/x509/issued-certificate.ts'
import { second } from '../../kernel/clock.ts'
import { printableText } from '../../kernel/escape-text.ts'

export interface HostPort {
  host: string
  port: number
}

/** A test request that failed; the message says why and is shown to users. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError'
}

const usualDeadline = 5 * second
const misdirectedRequest = 421

/**
 * Requests the front page of a name over HTTPS, trusting only the stored chain. Any response is a success, because only
 * we have the key of that certificate, except 421, which means that the name is not served. Returns the address that
 * answered.
 */
export function requestOverHttps(
  name: string,
  { chain, serial }: Pick<InstalledCertificate, 'chain' | 'serial'>,
  { host, port }: HostPort,
  deadline = usualDeadline,
): Promise<string> {
  const root = readPemChain(chain)?.at(-1)
  if (root === undefined) throw new Error(`The certificate chain of ${name} cannot be read`)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const probe = request({
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
  probe.on('response', (response) => {
    const socket = response.socket as TLSSocket
    const served = socket.getPeerX509Certificate()?.serialNumber.toLowerCase()
    if (served !== serial) reject(new ProbeError(`The certificate served is ${served}, not ${serial}`))
    else if (response.statusCode === misdirectedRequest) reject(new ProbeError('The edge answered 421'))
    else resolve(socket.remoteAddress ?? host)
    probe.destroy()
  })
  probe.on('error', (error) => reject(new ProbeError(describeError(error), { cause: error })))
  probe.end()
  return promise
}

const words: Readonly<Record<string, string>> = {
  ABORT_ERR: 'There was no response in time',
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed before there was a response',
  EHOSTUNREACH: 'The address is unreachable',
  ENETUNREACH: 'The address is unreachable',
  EPROTO: 'The TLS handshake failed',
}

/** Leaves out details of our own network and libraries. */
function describeError({ code = '', reason }: NodeJS.ErrnoException & { reason?: string }): string {
  if (Object.hasOwn(words, code)) return words[code] ?? code
  if (code.startsWith('HPE_')) return 'The response was not HTTP'
  if (code.startsWith('ERR_SSL_')) return `The TLS handshake failed: ${printableText(reason ?? code)}`
  return `The served certificate is not the installed one (${code})`
}
