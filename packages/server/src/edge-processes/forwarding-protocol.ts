import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Who is at the other end of a connection that an edge process passes on, as its own socket says. */
export interface ForwardedClient {
  address: string
  scheme: 'http' | 'https'
}

/** More than the longest: an IPv6 address with the name of an interface. */
export const longestPreface = 128

/**
 * The first line of every connection to the main process. It stands before the HTTP, where no client can write, so
 * no header has to be believed or taken away. A connection carries the requests of one client alone.
 */
export function writePreface({ scheme, address }: ForwardedClient): string {
  return `${scheme} ${address}\n`
}

export function readPreface(line: string): ForwardedClient | null {
  const [scheme, address = '', ...rest] = line.split(' ')
  if ((scheme !== 'http' && scheme !== 'https') || isIP(address) === 0 || rest.length > 0) return null
  return { scheme, address }
}

/** They are about one connection, and here are two. */
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

/** Methods with which node's client sends no length of its own accord where there is no body. */
const usuallyWithoutBody = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

type ForwardedRequest = Pick<
  IncomingMessage,
  'method' | 'headers' | 'rawHeaders' | 'httpVersionMajor' | 'readableEnded'
>

/** The headers of a request as they are sent on, as a flat list, framed in the same way whatever the method is. */
export function forwardedRequestHeaders(request: ForwardedRequest): string[] {
  const { method = '', headers, rawHeaders } = request
  const passed = endToEndHeaders(rawHeaders)
  const authority = headers[':authority']
  if (headers.host === undefined && typeof authority === 'string') passed.push('Host', authority)
  if (headers.expect !== undefined) passed.push('Expect', headers.expect)
  if (headers['content-length'] !== undefined) return passed
  if (hasBody(request)) passed.push('Transfer-Encoding', 'chunked')
  else if (!usuallyWithoutBody.has(method)) passed.push('Content-Length', '0')
  return passed
}

/** HTTP/1.1 announces a body; in HTTP/2 there is one until the stream has ended. */
export function hasBody({ headers, httpVersionMajor, readableEnded }: ForwardedRequest): boolean {
  if (httpVersionMajor >= 2) return !readableEnded
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

export function forwardedResponseHeaders(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  to: ForwardedRequest,
): string[] {
  const passed = endToEndHeaders(rawHeaders)
  if (headers.connection === 'close' && to.httpVersionMajor === 1) passed.push('Connection', 'close')
  return passed
}

function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  const passed: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!name.startsWith(':') && !hopByHopHeaders.has(name.toLowerCase())) passed.push(name, value)
  }
  return passed
}
