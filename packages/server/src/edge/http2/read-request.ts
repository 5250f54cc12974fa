import { STATUS_CODES } from 'node:http'
import { ForwardedFields, type ProxyFields } from '../accept/forwarded.ts'
import type { RequestHeaders } from '../assets/answer-file.ts'
import { methodNotAllowedPage } from '../assets/pages.ts'
import { type Reply, withoutBody } from '../assets/reply.ts'
import type { EdgeRequest } from '../assets/respond.ts'
import { refuseOrigin } from '../sites/refuse-origin.ts'
import { fieldIds, type HeaderFields, unknownField } from './hpack/fields.ts'

type Headers = { -readonly [Name in keyof RequestHeaders]: string | undefined }

/** A request as its stream carried it. */
export interface StreamRequest extends EdgeRequest {
  /** Set if this is the answer, whatever the site. */
  readonly refusal: Reply | null
  /** The Priority field (RFC 9218). */
  readonly priority: string | undefined
  /** Whether a browser shows the answer as a page, and so may act on early hints. */
  readonly isNavigation: boolean
  /** Null if the client did not say. */
  readonly contentLength: number | null
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Reads the head of a request (RFC 9113, 8.3.1). Null if it is malformed. */
export function readRequest(
  fields: HeaderFields,
  peer: () => string | undefined,
  proxy: ProxyFields | null = null,
): StreamRequest | null {
  const told = proxy === null ? null : new ForwardedFields(proxy)
  let method: string | undefined
  let path: string | undefined
  let scheme: string | undefined
  let authority: string | undefined
  let host: string | undefined
  let priority: string | undefined
  let fetchMode: string | undefined
  let contentLength: number | null = null
  let hasRegular = false
  const headers: Headers = {
    accept: undefined,
    'accept-encoding': undefined,
    'accept-language': undefined,
    'if-match': undefined,
    'if-modified-since': undefined,
    'if-none-match': undefined,
    'if-range': undefined,
    'if-unmodified-since': undefined,
    range: undefined,
    'sec-fetch-dest': undefined,
    authorization: undefined,
    cookie: undefined,
    country: undefined,
  }
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]
    if (field === undefined || !field.isWellFormed) return null
    const { id, value } = field
    if (id >= fieldIds[':method'] && id <= fieldIds[':authority']) {
      if (hasRegular) return null
    } else hasRegular = true
    if (id === unknownField) {
      if (told?.mayHave(field.name.length) === true) told.add(field.name, value)
      continue
    }
    switch (id) {
      case fieldIds[':method']:
        if (method !== undefined) return null
        method = value
        break
      case fieldIds[':path']:
        if (path !== undefined) return null
        path = value
        break
      case fieldIds[':scheme']:
        if (scheme !== undefined) return null
        scheme = value
        break
      case fieldIds[':authority']:
        if (authority !== undefined) return null
        authority = value
        break
      case fieldIds.host:
        if (host !== undefined) return null
        host = value
        break
      case fieldIds.accept:
        headers.accept = joined(headers.accept, value)
        break
      case fieldIds['accept-encoding']:
        headers['accept-encoding'] = joined(headers['accept-encoding'], value)
        break
      case fieldIds['accept-language']:
        headers['accept-language'] = joined(headers['accept-language'], value)
        break
      case fieldIds['if-match']:
        headers['if-match'] = joined(headers['if-match'], value)
        break
      case fieldIds['if-modified-since']:
        headers['if-modified-since'] ??= value
        break
      case fieldIds['if-none-match']:
        headers['if-none-match'] = joined(headers['if-none-match'], value)
        break
      case fieldIds['if-range']:
        headers['if-range'] = joined(headers['if-range'], value)
        break
      case fieldIds['if-unmodified-since']:
        headers['if-unmodified-since'] ??= value
        break
      case fieldIds.range:
        headers.range = joined(headers.range, value)
        break
      case fieldIds['sec-fetch-dest']:
        headers['sec-fetch-dest'] = joined(headers['sec-fetch-dest'], value)
        break
      case fieldIds['sec-fetch-mode']:
        fetchMode = joined(fetchMode, value)
        break
      case fieldIds.authorization:
        headers.authorization = joined(headers.authorization, value)
        break
      case fieldIds.cookie:
        // Each cookie may come as a field of its own (RFC 9113, 8.2.3).
        headers.cookie = headers.cookie === undefined ? value : `${headers.cookie}; ${value}`
        break
      case fieldIds.priority:
        priority = joined(priority, value)
        break
      case fieldIds['content-length']: {
        const length = /^\d{1,15}$/.test(value) ? Number(value) : null
        if (length === null || (contentLength !== null && contentLength !== length)) return null
        contentLength = length
        break
      }
      case fieldIds.te:
        if (value.toLowerCase() !== 'trailers') return null
        break
      // They are about a connection of HTTP/1.1 (RFC 9113, 8.2.2).
      case fieldIds.connection:
      case fieldIds['keep-alive']:
      case fieldIds['proxy-connection']:
      case fieldIds['transfer-encoding']:
      case fieldIds.upgrade:
        return null
    }
  }
  if (method === undefined) return null
  if (told !== null) headers.country = told.country
  const from: EdgeRequest['from'] = told === null ? peer : (marked) => told.address(peer(), marked)
  const request = { method, target: path ?? '', host: authority ?? host ?? '', headers, from }
  if (method === 'CONNECT') {
    if (path !== undefined || scheme !== undefined || authority === undefined) return null
    return { ...request, refusal: methodNotAllowedPage, priority, isNavigation: false, contentLength }
  }
  if (path === undefined || scheme === undefined) return null
  if (method !== 'GET' && !token.test(method)) return null
  if (path === '*' && method !== 'OPTIONS') return null
  const refused = refuseOrigin(scheme, authority, host)
  const refusal = refused !== null && method === 'HEAD' ? withoutBody(refused) : refused
  const isNavigation = method === 'GET' && fetchMode === 'navigate' && isPage(headers['sec-fetch-dest'])
  return {
    method,
    target: path,
    host: request.host,
    headers,
    from,
    refusal,
    priority,
    isNavigation,
    contentLength,
  }
}

/** Whether these may end a request: trailers have no pseudo-header fields (RFC 9113, 8.1). */
export function areTrailers(fields: HeaderFields): boolean {
  return fields.every(({ id, isWellFormed }) => isWellFormed && (id < 0 || id > fieldIds[':authority']))
}

/** Browsers ignore hints for frames. */
function isPage(destination: string | undefined): boolean {
  return destination === undefined || destination === 'document'
}

/** Several lines of a list are one list (RFC 9110, 5.3). */
function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}

export const headTooLarge = plainReply(431)

function plainReply(status: number): Reply {
  const bytes = Buffer.from(`${status} ${STATUS_CODES[status]}\n`)
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(bytes.length)]
  return { status, headers, body: { kind: 'bytes', bytes } }
}
