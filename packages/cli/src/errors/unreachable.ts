import type { ConnectionError } from '@masthead/client/errors.ts'

interface Cause {
  code: string
  address: string | undefined
  port: number | undefined
  hostname: string | undefined
}

const notHttp = 'NOT_HTTP'

/** Of Node.js and OpenSSL, in words. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed without an answer',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'there is no way to this address',
  ENETUNREACH: 'there is no network to this address',
  ENOTFOUND: 'the name is not in DNS',
  EAI_AGAIN: 'DNS does not answer. This machine may be offline',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak HTTPS there',
  EPROTO: 'it does not speak HTTPS there',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak HTTPS there',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'it does not speak HTTPS there',
  [notHttp]: 'it does not speak HTTP there',
}

const untrusted = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]

/** What was tried without success, a line per address, and what to do. */
export function describeUnreachable(
  error: ConnectionError,
  isLocal: boolean,
): { tried: string; fix: string } {
  const { host, origin } = new URL(error.server)
  const causes = causesOf(error.cause)
  const tried = causes.map(({ code, address, port, hostname }) => {
    const place = address === undefined ? (hostname ?? host) : placeOf(address, port)
    const reason = untrusted.includes(code) ? 'this machine does not trust its certificate' : reasons[code]
    return `Tried ${place}: ${reason ?? code}.`
  })
  return { tried: [...new Set(tried)].join('\n'), fix: fixFor(causes, origin, isLocal) }
}

function placeOf(address: string, port: number | undefined): string {
  const host = address.includes(':') ? `[${address}]` : address
  return port === undefined ? host : `${host}:${port}`
}

function fixFor(causes: readonly Cause[], origin: string, isLocal: boolean): string {
  const other = 'choose another with --server or MASTHEAD_SERVER.'
  if (causes.some(({ code }) => untrusted.includes(code))) {
    return `If it is your own server, save its root certificate and set NODE_EXTRA_CA_CERTS to the file: see ${origin}/cli.`
  }
  return isLocal ? `Start it with \`npm start\`, or ${other}` : `Check the address, or ${other}`
}

/** Codes of DNS, TLS and HTTP that are the same a second later. */
const lasting =
  /^(?:ENOTFOUND|NOT_HTTP|ERR_INVALID_CHAR|EPROTO|ERR_SSL_|ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/

/** Whether another attempt would fail in the same way. */
export function isLasting(error: unknown): boolean {
  return causesOf(error).some(({ code }) => lasting.test(code))
}

/** Whether the request was never sent, because a header has characters that HTTP does not allow. */
export function hasInvalidHeader(error: ConnectionError): boolean {
  return causesOf(error).some(({ code }) => code === 'ERR_INVALID_CHAR')
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown }
  if (code === undefined) return undefined
  return String(code).startsWith('HPE_') ? notHttp : String(code)
}

/** An error of several addresses has one for each. */
function causesOf(error: unknown): Cause[] {
  if (!(error instanceof Error)) return []
  if (error instanceof AggregateError) return error.errors.flatMap(causesOf)
  if (error.cause !== undefined) return causesOf(error.cause)
  const { address, port, hostname } = error as Error & Partial<Cause>
  const code = codeOf(error)
  return code === undefined ? [] : [{ code, address, port, hostname }]
}
