import type { IncomingMessage } from 'node:http'

/** They are about one connection, and here are two. */
const ofOneConnection = new Set([
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

type Request = Pick<
  IncomingMessage,
  'method' | 'headers' | 'rawHeaders' | 'httpVersionMajor' | 'readableEnded'
>

/** The headers of a request as they are sent on, as a flat list, framed in the same way whatever the method is. */
export function requestHeaders(request: Request): string[] {
  const { method = '', headers, rawHeaders } = request
  const passed = ofBothConnections(rawHeaders)
  const authority = headers[':authority']
  if (headers.host === undefined && typeof authority === 'string') passed.push('Host', authority)
  if (headers.expect !== undefined) passed.push('Expect', headers.expect)
  if (headers['content-length'] !== undefined) return passed
  if (hasBody(request)) passed.push('Transfer-Encoding', 'chunked')
  else if (!usuallyWithoutBody.has(method)) passed.push('Content-Length', '0')
  return passed
}

/** HTTP/1.1 announces a body; in HTTP/2 there is one until the stream has ended. */
export function hasBody({ headers, httpVersionMajor, readableEnded }: Request): boolean {
  if (httpVersionMajor >= 2) return !readableEnded
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

export function responseHeaders(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  to: Request,
): string[] {
  const passed = ofBothConnections(rawHeaders)
  if (headers.connection === 'close' && to.httpVersionMajor === 1) passed.push('Connection', 'close')
  return passed
}

function ofBothConnections(rawHeaders: readonly string[]): string[] {
  const passed: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!name.startsWith(':') && !ofOneConnection.has(name.toLowerCase())) passed.push(name, value)
  }
  return passed
}
