import { ForwardedFields, type ProxyFields } from '../accept/forwarded.ts'
import type { EdgeRequest } from '../assets/respond.ts'
import { cr, endOf, inTarget, inToken, inValue, lf, slash, space } from './grammar.ts'
import { type Fields, type KnownFields, readHeaderSection } from './header-section.ts'
import { KnownLines } from './known-lines.ts'
import type { RecentSections } from './recent-sections.ts'

/** A request without its body, which a site never reads. */
export interface RequestHead extends EdgeRequest {
  readonly keepAlive: boolean
  readonly hasBody: boolean
  readonly expect: string | undefined
  /** Where it ends in the bytes it was read from. */
  readonly end: number
}

/** The status for a head that cannot be read. The connection must end, because nobody knows where the next one starts. */
export type HeadFault = 400 | 505

const absoluteForm = /^https?:\/\/[^/?]/i
const authorityForm = /^[^/?@]+:\d{1,5}$/

/**
 * Parses the head that begins at `start`, up to the end of its empty line (RFC 9112, 2.1). It accepts exactly what the
 * grammar allows, with one Host. A head that is cut off at `end` is malformed. `view` is of the same bytes. `proxy`: how
 * the proxy at the other end tells about visitors; null for anybody else. `recent`: of the same connection.
 */
export function readRequestHead(
  bytes: Buffer,
  view: DataView,
  start: number,
  end: number,
  from: () => string | undefined = () => undefined,
  proxy: ProxyFields | null = null,
  recent: RecentSections<Fields> | null = null,
): RequestHead | HeadFault {
  const line = requestLines.find(view, start, end) ?? readNewRequestLine(bytes, view, start, end)
  if (typeof line === 'number') return line
  const lineEnd = start + line.length
  if (bytes[lineEnd] !== cr || bytes[lineEnd + 1] !== lf || lineEnd + 2 > end) return 400
  const told = proxy === null ? null : new ForwardedFields(proxy)
  const section = readHeaderSection(bytes, view, lineEnd + 2, end, told, told === null ? recent : null)
  if (section === null) return 400
  const { headers } = section.fields
  const { method, target, isVersion11 } = line
  if (headers.host === undefined && isVersion11) return 400
  const body = bodyOf(headers, isVersion11)
  if (body === 'invalid') return 400
  return {
    method,
    target,
    host: headers.host ?? '',
    headers,
    from: told === null ? from : (marked) => told.address(from(), marked),
    isForwardedSecurely: told?.isSecure(from()) === true,
    keepAlive: keepsAlive(headers.connection, isVersion11),
    hasBody: body === 'some',
    // HTTP/1.0 has none (RFC 9110, 10.1.1).
    expect: isVersion11 ? headers.expect : undefined,
    end: section.end,
  }
}

/** Whether a request announces a body (RFC 9112, 6). Invalid if two readers could disagree about where it ends. */
function bodyOf(fields: KnownFields, isVersion11: boolean): 'none' | 'some' | 'invalid' {
  const { 'content-length': length, 'transfer-encoding': codings } = fields
  if (codings !== undefined) {
    const isChunked = /(?:^|[\t ,])chunked$/i.test(codings)
    return length === undefined && isVersion11 && isChunked ? 'some' : 'invalid'
  }
  if (length === undefined) return 'none'
  if (!/^\d+$/.test(length)) return 'invalid'
  return /^0+$/.test(length) ? 'none' : 'some'
}

/** RFC 9112, 9.3. */
function keepsAlive(connection: string | undefined, isVersion11: boolean): boolean {
  if (connection === undefined) return isVersion11
  if (connection === 'keep-alive') return true
  const options = connection
    .toLowerCase()
    .split(',')
    .map((option) => option.trim())
  if (options.includes('close')) return false
  return isVersion11 || options.includes('keep-alive')
}

interface RequestLine {
  method: string
  target: string
  isVersion11: boolean
  /** Without its CRLF. */
  length: number
}

const requestLines = new KnownLines<RequestLine>(2_048, 128)

function readNewRequestLine(
  bytes: Buffer,
  view: DataView,
  start: number,
  end: number,
): RequestLine | HeadFault {
  const line = readRequestLine(bytes, start, end)
  // A query may have a secret, as may an absolute form, and they must not stay in memory.
  const isKept =
    typeof line !== 'number' && requestLines.end === start + line.length && isPlainPath(line.target)
  if (isKept) requestLines.keep(line, view, start)
  return line
}

function isPlainPath(target: string): boolean {
  return target.charCodeAt(0) === slash && !target.includes('?')
}

const version11 = Buffer.from('HTTP/1.1')
const version10 = Buffer.from('HTTP/1.0')
const get = Buffer.from('GET')

/** The request line (RFC 9112, 3). What follows it is not checked. */
export function readRequestLine(bytes: Buffer, start: number, end: number): RequestLine | HeadFault {
  const methodEnd = endOf(bytes, start, end, inToken)
  if (methodEnd === start || bytes[methodEnd] !== space) return 400
  const targetStart = methodEnd + 1
  const targetEnd = endOf(bytes, targetStart, end, inTarget)
  if (targetEnd === targetStart || bytes[targetEnd] !== space) return 400
  const versionStart = targetEnd + 1
  const versionEnd = endOf(bytes, versionStart, end, inValue)
  const isVersion11 = isSame(bytes, versionStart, versionEnd, version11)
  if (!isVersion11 && !isSame(bytes, versionStart, versionEnd, version10)) {
    return /^HTTP\/\d\.\d$/.test(bytes.toString('latin1', versionStart, versionEnd)) ? 505 : 400
  }
  const method = isSame(bytes, start, methodEnd, get) ? 'GET' : bytes.toString('latin1', start, methodEnd)
  const target = bytes.toString('latin1', targetStart, targetEnd)
  if (!isTargetOf(method, target)) return 400
  return { method, target, isVersion11, length: versionEnd - start }
}

function isSame(bytes: Buffer, start: number, end: number, codes: Buffer): boolean {
  if (end - start !== codes.length) return false
  for (let at = 0; at < codes.length; at++) if (bytes[start + at] !== codes[at]) return false
  return true
}

/** RFC 9112, 3.2.1 to 3.2.4. */
function isTargetOf(method: string, target: string): boolean {
  if (method === 'CONNECT') return authorityForm.test(target)
  if (target.charCodeAt(0) === slash) return true
  return target === '*' ? method === 'OPTIONS' : absoluteForm.test(target)
}
