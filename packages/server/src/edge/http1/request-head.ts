import type { EdgeRequest, RequestHeaders } from '../assets/respond.ts'
import { bodyOf, keepsAlive } from './framing.ts'

/** A request without its body, which a site never reads. */
export interface RequestHead extends EdgeRequest {
  readonly keepAlive: boolean
  readonly hasBody: boolean
  readonly expect: string | undefined
}

/** The status for a head that cannot be read. The connection must end, because nobody knows where the next one starts. */
export type HeadFault = 400 | 505

/** Fields that routing, negotiation or framing depend on. */
export class KnownFields implements RequestHeaders {
  host: string | undefined = undefined
  connection: string | undefined = undefined
  accept: string | undefined = undefined
  'accept-encoding': string | undefined = undefined
  'if-match': string | undefined = undefined
  'if-modified-since': string | undefined = undefined
  'if-none-match': string | undefined = undefined
  'if-range': string | undefined = undefined
  'if-unmodified-since': string | undefined = undefined
  range: string | undefined = undefined
  'sec-fetch-dest': string | undefined = undefined
  expect: string | undefined = undefined
  'content-length': string | undefined = undefined
  'transfer-encoding': string | undefined = undefined
}

const space = 32
const tab = 9
const cr = 13
const lf = 10
const colon = 58

/** RFC 9110, 5.6.2. */
const tokenChars = /[!#$%&'*+.^_`|~0-9A-Za-z-]*/y
/** More than RFC 9112, 3.2 allows, because browsers do not escape all of it: any visible character, and bytes of UTF-8. */
const targetChars = /[!-~\x80-\xff]*/y
/** RFC 9110, 5.5. */
const valueChars = /[\t -~\x80-\xff]*/y
const blanks = /[\t ]*/y

/** Where a run of these characters ends. One class alone never backtracks. */
function endOf(run: RegExp, text: string, start: number): number {
  run.lastIndex = start
  run.test(text)
  return run.lastIndex
}

const absoluteForm = /^https?:\/\/[^/?]/i
const authorityForm = /^[^/?@]+:\d{1,5}$/

/**
 * Parses the head at the beginning of `text`, one character per byte, up to the end of its empty line (RFC 9112, 2.1). It
 * accepts exactly what the grammar allows, with one Host.
 */
export function readRequestHead(
  text: string,
  end: number,
  from: () => string | undefined = () => undefined,
): RequestHead | HeadFault {
  const lineEnd = text.indexOf('\r')
  const line = readRequestLine(text, lineEnd)
  if (typeof line === 'number') return line
  if (text.charCodeAt(lineEnd + 1) !== lf) return 400
  const headers = readFields(text, lineEnd + 2, end - 2)
  if (headers === null) return 400
  const { method, target, isVersion11 } = line
  if (headers.host === undefined && isVersion11) return 400
  const body = bodyOf(headers, isVersion11)
  if (body === 'invalid') return 400
  return {
    method,
    target,
    host: headers.host ?? '',
    headers,
    from,
    keepAlive: keepsAlive(headers.connection, isVersion11),
    hasBody: body === 'some',
    // HTTP/1.0 has none (RFC 9110, 10.1.1).
    expect: isVersion11 ? headers.expect : undefined,
  }
}

interface RequestLine {
  method: string
  target: string
  isVersion11: boolean
}

/** The request line, up to where its CRLF begins (RFC 9112, 3). */
export function readRequestLine(text: string, end: number): RequestLine | HeadFault {
  let at = endOf(tokenChars, text, 0)
  const method = text.slice(0, at)
  const targetStart = at + 1
  if (at === 0 || text.charCodeAt(at) !== space) return 400
  at = endOf(targetChars, text, targetStart)
  const target = text.slice(targetStart, at)
  if (at === targetStart || text.charCodeAt(at) !== space) return 400
  const version = text.slice(at + 1, end)
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') return /^HTTP\/\d\.\d$/.test(version) ? 505 : 400
  if (!isTargetOf(method, target)) return 400
  return { method, target, isVersion11: version === 'HTTP/1.1' }
}

/** RFC 9112, 3.2.1 to 3.2.4. */
function isTargetOf(method: string, target: string): boolean {
  if (method === 'CONNECT') return authorityForm.test(target)
  if (target.charCodeAt(0) === 47 /* / */) return true
  return target === '*' ? method === 'OPTIONS' : absoluteForm.test(target)
}

/** The field lines from `start` to `end` (RFC 9112, 5). Null if one is malformed, or there are two Hosts or lengths. */
function readFields(text: string, start: number, end: number): KnownFields | null {
  const fields = new KnownFields()
  let at = start
  while (at < end) {
    const nameStart = at
    const nameEnd = endOf(tokenChars, text, at)
    if (nameEnd === nameStart || text.charCodeAt(nameEnd) !== colon) return null
    const valueStart = endOf(blanks, text, nameEnd + 1)
    at = endOf(valueChars, text, valueStart)
    if (text.charCodeAt(at) !== cr || text.charCodeAt(at + 1) !== lf) return null
    let valueEnd = at
    while (valueEnd > valueStart && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd--
    at += 2
    const name = knownName(text, nameStart, nameEnd)
    if (name === null) continue
    const before = fields[name]
    const value = text.slice(valueStart, valueEnd)
    if (before === undefined) fields[name] = value
    else if (name === 'host' || name === 'content-length') return null
    else fields[name] = `${before}, ${value}`
  }
  return at === end ? fields : null
}

function isBlank(code: number): boolean {
  return code === space || code === tab
}

const names = Object.keys(new KnownFields()) as (keyof KnownFields)[]
const namesByLength = Array.from({ length: 32 }, (_, length) =>
  names.filter((name) => name.length === length),
)

/** Null for a field that nothing depends on. */
function knownName(text: string, start: number, end: number): keyof KnownFields | null {
  const candidates = namesByLength[end - start]
  if (candidates === undefined || candidates.length === 0) return null
  const name = text.slice(start, end).toLowerCase()
  for (const candidate of candidates) if (candidate === name) return candidate
  return null
}

/** A control character, a line that does not end in CRLF, or a CR in the middle of one (RFC 9112, 2.2). */
const strayByte = /[^\t\n\r -~\x80-\xff]|(?<!\r)\n|\r(?!\n|$)/g

/** Whether an incomplete head can already be refused for a byte at `from` or after it. */
export function hasStrayByte(text: string, from: number): boolean {
  strayByte.lastIndex = from
  return strayByte.test(text)
}
