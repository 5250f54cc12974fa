import { Problem } from '../../problem.ts'
import { decodeName } from '../paths.ts'

/** What a pax extended header (POSIX.1-2001) changes about the entries that follow it. */
export interface PaxOverrides {
  path?: string | undefined
  size?: number | undefined
  sparse?: boolean | undefined
}

/** The records of one extended header: `length key=value\n`, the length counting all of it. */
export function parsePax(body: Buffer): PaxOverrides {
  const overrides: PaxOverrides = {}
  for (let start = 0; start < body.byteLength; ) {
    const space = body.indexOf(' ', start)
    const length = space === -1 ? Number.NaN : decimal(body.toString('latin1', start, space))
    const end = start + length
    const equals = body.indexOf('=', space)
    // Written so that a length which is not a number is refused as well.
    if (!(end <= body.byteLength && equals > space && equals < end && body[end - 1] === 0x0a)) {
      throw new Problem('archive_invalid', 'An extended header in the archive cannot be read.')
    }
    apply(overrides, body.toString('utf8', space + 1, equals), body.subarray(equals + 1, end - 1))
    start = end
  }
  return overrides
}

/** An empty value takes an earlier one back. */
function apply(overrides: PaxOverrides, key: string, value: Buffer): void {
  const given = value.byteLength > 0
  if (key === 'path') overrides.path = given ? decodeName(value) : undefined
  else if (key === 'size') overrides.size = given ? size(value) : undefined
  else if (key.startsWith('GNU.sparse.')) overrides.sparse = true
}

function size(value: Buffer): number {
  const bytes = decimal(value.toString('latin1'))
  if (Number.isSafeInteger(bytes)) return bytes
  throw new Problem('archive_invalid', 'An extended header in the archive has a size that cannot be read.')
}

function decimal(digits: string): number {
  return /^[0-9]{1,20}$/.test(digits) ? Number.parseInt(digits, 10) : Number.NaN
}
