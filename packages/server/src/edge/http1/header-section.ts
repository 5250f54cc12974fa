import type { ForwardedFields } from '../accept/forwarded.ts'
import { colon, cr, endOf, inToken, inValue, isBlank, lf } from './grammar.ts'
import { KnownLines } from './known-lines.ts'
import type { RecentSections } from './recent-sections.ts'

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

/** What is used of the field lines of a head. */
export interface Fields {
  /** By `names`. */
  readonly values: readonly (string | undefined)[]
  readonly headers: KnownFields
}

interface HeaderSection {
  readonly fields: Fields
  /** Behind the empty line. */
  readonly end: number
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
export function readHeaderSection(
  bytes: Buffer,
  view: DataView,
  start: number,
  end: number,
  told: ForwardedFields | null,
  recent: RecentSections<Fields> | null,
): HeaderSection | null {
  const known = recent?.find(bytes, view, start, end) ?? null
  const knownEnd = known === null ? start : start + known.length
  const values = known === null || bytes[knownEnd] === cr ? [] : known.value.values.slice()
  const at = readFields(values, bytes, view, knownEnd, end, told)
  if (at === null || at + 2 > end || bytes[at + 1] !== lf) return null
  if (known !== null && at === knownEnd) return { fields: known.value, end: at + 2 }
  const fields = { values, headers: fieldsOf(values, told?.country) }
  if (known === null) recent?.keep(fields, bytes, view, start, at)
  return { fields, end: at + 2 }
}

/** Adds the values of the lines from `start` on. Returns where the empty line begins. */
function readFields(
  values: (string | undefined)[],
  bytes: Buffer,
  view: DataView,
  start: number,
  end: number,
  told: ForwardedFields | null,
): number | null {
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
  return at
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
