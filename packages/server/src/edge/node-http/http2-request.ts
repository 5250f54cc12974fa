import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, Http2ServerRequest, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { defaultListenerLimits } from '../accept/connection-limits.ts'
import { badPathPage } from '../assets/pages.ts'
import { type Reply, withoutBody } from '../assets/reply.ts'
import type { EdgeRequest } from '../assets/respond.ts'
import { refuseOrigin } from '../sites/refuse-origin.ts'
import { ObservedStreamResponse } from './observed-response.ts'

/**
 * Reads a request from its pseudo-header fields (RFC 9113, 8.3.1), whose order and number nghttp2 has checked, or
 * refuses it. CONNECT has no path.
 */
export function readStreamRequest(headers: IncomingHttpHeaders): EdgeRequest | Reply {
  const { ':method': method = 'GET', ':path': target = '', ':authority': authority, host } = headers
  if (!target.startsWith('/') && target !== '*') return badPathPage
  const refusal = refuseOrigin(headers[':scheme'], authority, host)
  if (refusal !== null) return method === 'HEAD' ? withoutBody(refusal) : refusal
  return { method, target, host: authority ?? host ?? '', headers }
}

export interface StreamLimits {
  /** Without traffic in either direction. */
  idleTimeout: number
  /** For the whole request. */
  requestTimeout: number
}

export const defaultStreamLimits: StreamLimits = {
  idleTimeout: defaultListenerLimits.idleTimeout,
  requestTimeout: defaultListenerLimits.requestTimeout,
}

/** Presents a stream as node's HTTP/1.1 request and response. */
export function toNodeRequest(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  host: string,
  { idleTimeout, requestTimeout }: StreamLimits,
): [IncomingMessage, ServerResponse] {
  const end = () => stream.close(constants.NGHTTP2_CANCEL)
  stream.setTimeout(idleTimeout, end)
  if (!stream.endAfterHeaders) {
    const timer = setTimeout(end, requestTimeout)
    for (const event of ['end', 'close']) stream.once(event, () => clearTimeout(timer))
  }
  headers.host = host
  // HTTP/2 ends the stream instead, but forwarding over HTTP/1.1 needs the length.
  if (stream.endAfterHeaders) headers['content-length'] ??= '0'
  const fields = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
  const raw = fields.flatMap(([name, value]) => [value].flat().flatMap((one) => [name, String(one)]))
  const request = new Http2ServerRequest(stream, headers, {}, raw)
  const response = new ObservedStreamResponse(stream)
  // The case does not matter (RFC 9110, 10.1.1): Java sends 100-Continue and waits.
  if (headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
  // Node makes them compatible, but its types do not say so.
  return [request, response] as unknown as [IncomingMessage, ServerResponse]
}
