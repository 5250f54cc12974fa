import { Problem } from '../../kernel/problem.ts'
import { decodeName } from '../paths.ts'

export const blockBytes = 512

/** One header block, before extended headers are applied. */
export interface TarHeader {
  name: Buffer
  size: number
  type: TarType
}

export type TarType = 'file' | 'folder' | 'longName' | 'longLink' | 'pax' | 'globalPax' | UnsupportedType

export type UnsupportedType = (typeof unsupported)[number]

const unsupported = [
  'a hard link',
  'a symbolic link',
  'a character device',
  'a block device',
  'a fifo',
  'a contiguous file',
  'a sparse file',
  'of an unknown kind',
] as const

const types: Readonly<Record<string, TarType>> = {
  '\0': 'file',
  '0': 'file',
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a character device',
  '4': 'a block device',
  '5': 'folder',
  '6': 'a fifo',
  '7': 'a contiguous file',
  S: 'a sparse file',
  L: 'longName',
  K: 'longLink',
  x: 'pax',
  g: 'globalPax',
}

export function isUnsupported(type: TarType): type is UnsupportedType {
  return (unsupported as readonly string[]).includes(type)
}

/** Entries without content, whatever their declared size. */
export function isWithoutBody(type: TarType): boolean {
  return (
    type === 'folder' ||
    (isUnsupported(type) && unsupported.indexOf(type) < unsupported.indexOf('a contiguous file'))
  )
}

export function isZeroBlock(block: Buffer): boolean {
  return block.every((byte) => byte === 0)
}

/** Throws the Problem `archive_invalid` if the block is not a header. */
export function parseTarHeader(block: Buffer): TarHeader {
  if (checksum(block) !== number(block, 148, 156)) {
    throw new Problem('archive_invalid', 'A header in the archive has a wrong checksum.')
  }
  const name = text(block.subarray(0, 100))
  // GNU archives store other data in place of the POSIX prefix, and are marked by "ustar" and two spaces.
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? text(block.subarray(345, 500)) : null
  return {
    name: prefix?.byteLength ? Buffer.concat([prefix, Buffer.from('/'), name]) : name,
    size: number(block, 124, 136),
    type: types[block.toString('latin1', 156, 157)] ?? 'of an unknown kind',
  }
}

/** The sum of all bytes, with the checksum field as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20
  for (let i = 0; i < 148; i++) sum += block[i] ?? 0
  for (let i = 156; i < blockBytes; i++) sum += block[i] ?? 0
  return sum
}

/** Up to the first NUL. */
export function text(field: Buffer): Buffer {
  const end = field.indexOf(0)
  return end === -1 ? field : field.subarray(0, end)
}

/** Octal digits, or a big-endian integer marked by the top bit of the first byte (GNU base-256). */
function number(block: Buffer, start: number, end: number): number {
  const value = (block[start] ?? 0) & 0x80 ? base256(block.subarray(start, end)) : octal(block, start, end)
  if (!Number.isSafeInteger(value)) {
    throw new Problem('archive_invalid', 'A header in the archive has an invalid number.')
  }
  return value
}

/** Digit by digit, as nearly all archives need it: an archive may have tens of thousands of headers. */
function octal(block: Buffer, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) {
    const byte = block[at] ?? 0
    if (byte === 0) break
    if (byte < 0x30 || byte > 0x37) return octalBetweenSpaces(block.subarray(start, end))
    value = value * 8 + byte - 0x30
  }
  return value
}

function octalBetweenSpaces(field: Buffer): number {
  const digits = text(field).toString('latin1').trim()
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN
}

function base256(field: Buffer): number {
  // 0xff would start a negative number, which is never valid here.
  if (field[0] !== 0x80) return Number.NaN
  return field.subarray(1).reduce((value, byte) => value * 256 + byte, 0)
}

/** What a pax extended header (POSIX.1-2001) changes about the entries that follow it. */
export interface PaxOverrides {
  path?: string | undefined
  size?: number | undefined
  sparse?: boolean | undefined
}

/** Records have the form `length key=value\n`; the length includes the whole record. */
export function parsePax(body: Buffer): PaxOverrides {
  const overrides: PaxOverrides = {}
  for (let start = 0; start < body.byteLength; ) {
    const space = body.indexOf(' ', start)
    const length = space === -1 ? Number.NaN : decimal(body.toString('latin1', start, space))
    const end = start + length
    const equals = body.indexOf('=', space)
    // Negated, so that a NaN length is refused too.
    if (!(end <= body.byteLength && equals > space && equals < end && body[end - 1] === 0x0a)) {
      throw new Problem('archive_invalid', 'An extended header in the archive is invalid.')
    }
    apply(overrides, body.toString('utf8', space + 1, equals), body.subarray(equals + 1, end - 1))
    start = end
  }
  return overrides
}

/** An empty value resets an earlier one. */
function apply(overrides: PaxOverrides, key: string, value: Buffer): void {
  const given = value.byteLength > 0
  if (key === 'path') overrides.path = given ? decodeName(value) : undefined
  else if (key === 'size') overrides.size = given ? size(value) : undefined
  else if (key.startsWith('GNU.sparse.')) overrides.sparse = true
}

function size(value: Buffer): number {
  const bytes = decimal(value.toString('latin1'))
  if (Number.isSafeInteger(bytes)) return bytes
  throw new Problem('archive_invalid', 'An extended header in the archive has an invalid size.')
}

function decimal(digits: string): number {
  return /^[0-9]{1,20}$/.test(digits) ? Number.parseInt(digits, 10) : Number.NaN
}
