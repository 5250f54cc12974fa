import type { IncomingMessage } from 'node:http'
import { isIP } from '../kernel/ip-address.ts'

/** The client of a forwarded connection, as the edge process sees it. */
export interface ForwardedClient {
  address: string
  scheme: 'http' | 'https'
}

/** Enough for an IPv6 address with an interface name. */
export const longestPreface = 128

/**
 * The first line of every connection to the main process. It comes before the HTTP, where no client can write, so no
 * header has to be trusted or removed. A connection only carries the requests of one client.
 */
export function writePreface({ scheme, address }: ForwardedClient): string {
  return `${scheme} ${address}\n`
}

export function readPreface(line: string): ForwardedClient | null {
  const [scheme, address = '', ...rest] = line.split(' ')
  if ((scheme !== 'http' && scheme !== 'https') || isIP(address) === 0 || rest.length > 0) return null
  return { scheme, address }
}

/**
 * The status with which the main process asks the edge process to end the client's connection without an answer. nginx
 * uses the same one.
 */
export const noAnswerStatus = 444

/** They concern one connection, and here there are two. */
const hopByHopHeaders = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Without a body, node's client sends no length for these methods. */
const usuallyWithoutBody = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

type ForwardedRequest = Pick<
  IncomingMessage,
  'method' | 'headers' | 'rawHeaders' | 'httpVersionMajor' | 'readableEnded'
>

/** The headers of a forwarded request as a flat list. The framing does not depend on the method. */
export function forwardedRequestHeaders(request: ForwardedRequest): string[] {
  const { method = '', headers, rawHeaders } = request
  const forwarded = endToEndHeaders(rawHeaders)
  const authority = headers[':authority']
  if (headers.host === undefined && typeof authority === 'string') forwarded.push('Host', authority)
  if (headers.expect !== undefined) forwarded.push('Expect', headers.expect)
  if (headers['content-length'] !== undefined) return forwarded
  if (hasBody(request)) forwarded.push('Transfer-Encoding', 'chunked')
  else if (!usuallyWithoutBody.has(method)) forwarded.push('Content-Length', '0')
  return forwarded
}

/** HTTP/1.1 announces a body. In HTTP/2 there may be one until the stream has ended. */
export function hasBody({ headers, httpVersionMajor, readableEnded }: ForwardedRequest): boolean {
  if (httpVersionMajor >= 2) return !readableEnded
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

export function forwardedResponseHeaders(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  to: ForwardedRequest,
): string[] {
  const forwarded = endToEndHeaders(rawHeaders)
  if (headers.connection === 'close' && to.httpVersionMajor === 1) forwarded.push('Connection', 'close')
  return forwarded
}

function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  const forwarded: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!name.startsWith(':') && !hopByHopHeaders.has(name.toLowerCase())) forwarded.push(name, value)
  }
  return forwarded
}
