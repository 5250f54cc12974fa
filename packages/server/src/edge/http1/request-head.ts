import { ForwardedFields, type ProxyFields } from '../accept/forwarded.ts'
import type { EdgeRequest } from '../assets/respond.ts'
import { bodyOf, keepsAlive } from './framing.ts'
import { KnownLines } from './known-lines.ts'

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

/** Fields that routing, negotiation or framing depend on. */
const usedNames = [
  'host',
  'connection',
  'accept',
  'accept-encoding',
  'accept-language',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
  'sec-fetch-dest',
  'expect',
  'content-length',
  'transfer-encoding',
  'authorization',
  'cookie',
] as const

/** Fields that nothing depends on, but that most browsers repeat with every request. */
const repeatedNames = [
  'user-agent',
  'upgrade-insecure-requests',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'cache-control',
  'pragma',
  'priority',
]
const names: readonly string[] = [...usedNames, ...repeatedNames]

export interface KnownFields extends Record<(typeof usedNames)[number], string | undefined> {
  /** No field: what a trusted proxy says. */
  country: string | undefined
}

const [space, tab, cr, lf, colon, slash] = [32, 9, 13, 10, 58, 47]

/** What may be in a token (RFC 9110, 5.6.2), in a target and in a value (RFC 9110, 5.5), as a bit for each. */
const inToken = 1
const inTarget = 2
const inValue = 4
const classes = Uint8Array.from({ length: 256 }, (_, code) => {
  const isVisible = code > space && code < 127
  const isObsolete = code >= 128
  const isTokenChar = /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(code))
  return (
    (isTokenChar ? inToken : 0) |
    // More than RFC 9112, 3.2 allows, because browsers do not escape all of it: bytes of UTF-8 as well.
    (isVisible || isObsolete ? inTarget : 0) |
    (isVisible || isObsolete || code === space || code === tab ? inValue : 0)
  )
})

/** Where a run of such bytes ends. */
function endOf(bytes: Buffer, start: number, end: number, wanted: number): number {
  let at = start
  while (at < end && ((classes[bytes[at] as number] as number) & wanted) !== 0) at++
  return at
}

const absoluteForm = /^https?:\/\/[^/?]/i
const authorityForm = /^[^/?@]+:\d{1,5}$/

/**
 * Parses the head that begins at `start`, up to the end of its empty line (RFC 9112, 2.1). It accepts exactly what the
 * grammar allows, with one Host. A head that is cut off at `end` is malformed. `view` is of the same bytes. `proxy`: how
 * the proxy at the other end tells about visitors; null for anybody else.
 */
export function readRequestHead(
  bytes: Buffer,
  view: DataView,
  start: number,
  end: number,
  from: () => string | undefined = () => undefined,
  proxy: ProxyFields | null = null,
): RequestHead | HeadFault {
  const line = requestLines.find(view, start, end) ?? readNewRequestLine(bytes, view, start, end)
  if (typeof line === 'number') return line
  const lineEnd = start + line.length
  if (bytes[lineEnd] !== cr || bytes[lineEnd + 1] !== lf || lineEnd + 2 > end) return 400
  const told = proxy === null ? null : new ForwardedFields(proxy)
  const fields = readFields(bytes, view, lineEnd + 2, end, told)
  if (fields === null) return 400
  const { headers } = fields
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
    end: fields.end,
  }
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

interface FieldLines {
  headers: KnownFields
  /** Behind the empty line. */
  end: number
}

interface FieldLine {
  /** In `names`; -1 for any other name. */
  readonly index: number
  /** Empty if nothing depends on the field. */
  readonly value: string
}

const fieldLines = new KnownLines<FieldLine>(2_048, 256)
/** Secrets must not stay in memory. */
const secretNames = ['authorization', 'cookie']
const mayStay = names.map((name) => !secretNames.includes(name))

/** The field lines and the empty line (RFC 9112, 5). Null if one is malformed, or there are two Hosts or lengths. */
function readFields(
  bytes: Buffer,
  view: DataView,
  start: number,
  end: number,
  told: ForwardedFields | null,
): FieldLines | null {
  const values: (string | undefined)[] = []
  let at = start
  while (bytes[at] !== cr) {
    const known = fieldLines.find(view, at, end)
    const lineStart = at
    at = endOf(bytes, fieldLines.end, end, inValue)
    if (bytes[at] !== cr || bytes[at + 1] !== lf) return null
    const line =
      known !== null && at === fieldLines.end ? known : readFieldLine(bytes, view, lineStart, at, told)
    if (line === null) return null
    at += 2
    const { index, value } = line
    if (index === -1 || index >= usedNames.length) continue
    const before = values[index]
    if (before === undefined) values[index] = value
    else if (names[index] === 'host' || names[index] === 'content-length') return null
    // A comma is part of a cookie (RFC 6265, 4.2).
    else values[index] = `${before}${names[index] === 'cookie' ? '; ' : ', '}${value}`
  }
  return at + 2 <= end && bytes[at + 1] === lf
    ? { headers: fieldsOf(values, told?.country), end: at + 2 }
    : null
}

const otherLine: FieldLine = { index: -1, value: '' }

/** A field line without its CRLF, which has nothing but what may be in a value. */
function readFieldLine(
  bytes: Buffer,
  view: DataView,
  start: number,
  end: number,
  told: ForwardedFields | null,
): FieldLine | null {
  const nameEnd = endOf(bytes, start, end, inToken)
  if (nameEnd === start || bytes[nameEnd] !== colon) return null
  let valueStart = nameEnd + 1
  while (isBlank(bytes[valueStart])) valueStart++
  let valueEnd = end
  while (valueEnd > valueStart && isBlank(bytes[valueEnd - 1])) valueEnd--
  const index = indexOfName(bytes, start, nameEnd)
  if (index === -1) {
    if (told?.mayHave(nameEnd - start) === true) {
      const name = bytes.toString('latin1', start, nameEnd).toLowerCase()
      told.add(name, bytes.toString('latin1', valueStart, valueEnd))
    }
    return otherLine
  }
  const isUsed = index < usedNames.length
  const line = { index, value: isUsed ? bytes.toString('latin1', valueStart, valueEnd) : '' }
  if (mayStay[index] === true && end === fieldLines.end) fieldLines.keep(line, view, start)
  return line
}

function fieldsOf(values: readonly (string | undefined)[], country: string | undefined): KnownFields {
  return {
    host: values[0],
    connection: values[1],
    accept: values[2],
    'accept-encoding': values[3],
    'accept-language': values[4],
    'if-match': values[5],
    'if-modified-since': values[6],
    'if-none-match': values[7],
    'if-range': values[8],
    'if-unmodified-since': values[9],
    range: values[10],
    'sec-fetch-dest': values[11],
    expect: values[12],
    'content-length': values[13],
    'transfer-encoding': values[14],
    authorization: values[15],
    cookie: values[16],
    country,
  }
}

function isBlank(code: number | undefined): boolean {
  return code === space || code === tab
}

/** By length, since most names are ruled out by that alone. */
const namesByLength = Array.from({ length: 32 }, (_, length) =>
  names.flatMap((name, index) => (name.length === length ? [{ index, codes: Buffer.from(name) }] : [])),
)

/** In `names`; -1 for any other name. */
function indexOfName(bytes: Buffer, start: number, end: number): number {
  const candidates = namesByLength[end - start]
  if (candidates === undefined) return -1
  for (const { index, codes } of candidates) if (isName(bytes, start, codes)) return index
  return -1
}

const upperToLower = 32

function isName(bytes: Buffer, start: number, codes: Buffer): boolean {
  for (let at = 0; at < codes.length; at++) {
    const code = bytes[start + at] as number
    const isUpper = code >= 65 && code <= 90
    if ((isUpper ? code + upperToLower : code) !== codes[at]) return false
  }
  return true
}

/** A control character, a line that does not end in CRLF, or a CR in the middle of one (RFC 9112, 2.2). */
const strayByte = /[^\t\n\r -~\x80-\xff]|(?<!\r)\n|\r(?!\n|$)/g

/** Whether an incomplete head can already be refused for a byte at `from` or after it. */
export function hasStrayByte(text: string, from: number): boolean {
  strayByte.lastIndex = from
  return strayByte.test(text)
}
