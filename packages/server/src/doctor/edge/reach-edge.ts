import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { second } from '../../kernel/clock.ts'
import { isIPv6 } from '../../kernel/ip-address.ts'
import { describeError } from '../check.ts'

export interface EdgeAddress {
  protocol: 'http' | 'https'
  address: string
  port: number
}

/** What only the right server answers. */
export interface Expected {
  path: string
  content: string
}

/**
 * `ours`: it answered as expected. `no_certificate`: it has none for the host, so we cannot tell whose it is.
 * `other`: something else answered. `waits`: it took the connection and did not answer, as edges do while a
 * certificate is being issued. `silent`: nothing took it.
 */
export type Reached =
  | { kind: 'ours' }
  | { kind: 'no_certificate' | 'other' | 'waits' | 'silent'; why: string }

const deadline = 3 * second
const mostBytes = 1_000

/** Asks an address, under a host that the edge gets a certificate for. */
export async function reachEdge(
  { protocol, address, port }: EdgeAddress,
  { path, content }: Expected,
  hostname: string,
  signal: AbortSignal,
): Promise<Reached> {
  const options = {
    host: address,
    port,
    path,
    headers: { Host: hostname, 'User-Agent': 'Masthead-Doctor', Connection: 'close' },
    agent: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(deadline)]),
  } as const
  // The content proves who answers, so the certificate need not.
  const sent =
    protocol === 'http'
      ? requestHttp(options)
      : requestHttps({ ...options, servername: hostname, rejectUnauthorized: false })
  let isConnected = false
  sent.on('socket', (socket) => socket.once('connect', () => (isConnected = true)))
  try {
    const { status, body } = await answerOf(sent)
    if (body === content) return { kind: 'ours' }
    return { kind: 'other', why: `it answered ${status}` }
  } catch (error) {
    const { code = '', name } = error as NodeJS.ErrnoException
    if (name === 'AbortError' || name === 'TimeoutError')
      return { kind: isConnected ? 'waits' : 'silent', why: 'no answer in time' }
    if (isUnrecognizedName(error)) return { kind: 'no_certificate', why: `no certificate for ${hostname}` }
    const isForeign = code.startsWith('HPE_') || code === 'EPROTO' || code.startsWith('ERR_SSL_')
    return { kind: isForeign ? 'other' : 'silent', why: describeError(error) }
  } finally {
    sent.destroy()
  }
}

/** The alert of RFC 6066, section 3, by its number: the code of the error depends on the protocol. */
function isUnrecognizedName(error: unknown): boolean {
  return /alert number 112\b/i.test(error instanceof Error ? error.message : '')
}

async function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>()
  sent.on('error', reject)
  sent.on('response', (response) => {
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > mostBytes) response.destroy()
    })
    const { statusCode: status } = response
    text(response).then(
      (body) => resolve({ status, body }),
      () => resolve({ status, body: '' }),
    )
  })
  sent.end()
  return promise
}

export function formatAddress({ address, port }: Pick<EdgeAddress, 'address' | 'port'>): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
}
