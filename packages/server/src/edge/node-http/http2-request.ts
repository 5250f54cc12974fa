import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  constants,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { defaultListenerLimits } from '../listener.ts'
import type { EdgeRequest } from '../router.ts'

/**
 * A request as its pseudo-header fields tell it (RFC 9113, 8.3.1); null where they do not make one. That they come
 * once, first and complete, nghttp2 has seen to.
 */
export function readStreamRequest(headers: IncomingHttpHeaders): EdgeRequest | null {
  const { ':method': method, ':path': target, ':authority': authority, host } = headers
  if (method === undefined || target === undefined || headers[':scheme'] !== 'https') return null
  if (!target.startsWith('/') && target !== '*') return null
  if (authority !== undefined && host !== undefined && authority !== host) return null
  return { method, target, host: authority ?? host ?? '', headers }
}

export interface StreamLimits {
  /** Nothing of a request arrives, or nothing of an answer is written. */
  patience: number
  /** The whole request. */
  requestTimeout: number
}

export const defaultStreamLimits: StreamLimits = {
  patience: defaultListenerLimits.idleTimeout,
  requestTimeout: defaultListenerLimits.requestTimeout,
}

/** A stream as node's HTTP/1.1 would present it, for who knows nothing else. */
export function toNodeRequest(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  host: string,
  { patience, requestTimeout }: StreamLimits,
): [IncomingMessage, ServerResponse] {
  const end = () => stream.close(constants.NGHTTP2_CANCEL)
  stream.setTimeout(patience, end)
  if (!stream.endAfterHeaders) {
    const late = setTimeout(end, requestTimeout)
    for (const over of ['end', 'close']) stream.once(over, () => clearTimeout(late))
  }
  headers.host = host
  // The end of the stream says it here, which nobody sees who passes the request on in HTTP/1.1.
  if (stream.endAfterHeaders) headers['content-length'] ??= '0'
  const fields = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
  const raw = fields.flatMap(([name, value]) => [value].flat().flatMap((one) => [name, String(one)]))
  const request = new Http2ServerRequest(stream, headers, {}, raw)
  const response = new Http2ServerResponse(stream)
  if (headers.expect === '100-continue') response.writeContinue()
  // Made by node to be used in place of the other two, which its types do not tell.
  return [request, response] as unknown as [IncomingMessage, ServerResponse]
}
