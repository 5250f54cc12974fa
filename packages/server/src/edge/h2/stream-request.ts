import type { IncomingHttpHeaders } from 'node:http2'
import type { WalkRequest } from '../walk.ts'

/**
 * A request as its pseudo-header fields tell it (RFC 9113, 8.3.1); null where they do not make one. That they come
 * once, first and complete, nghttp2 has seen to.
 */
export function readStreamRequest(headers: IncomingHttpHeaders): WalkRequest | null {
  const { ':method': method, ':path': target, ':authority': authority, host } = headers
  if (method === undefined || target === undefined || headers[':scheme'] !== 'https') return null
  if (!target.startsWith('/') && target !== '*') return null
  if (authority !== undefined && host !== undefined && authority !== host) return null
  return { method, target, host: authority ?? host ?? '', headers }
}
