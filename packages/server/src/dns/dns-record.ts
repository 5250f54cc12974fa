/** The record types we use, with their numbers on the wire. */
export const recordCodes = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, DNAME: 39, CAA: 257 } as const

export type RecordType = keyof typeof recordCodes

export interface DnsRecord {
  /** Lower-case, without the final dot. Unusual bytes are escaped, see `printable`. */
  name: string
  type: RecordType
  ttl: number
  /** Always printable ASCII. Names look like `name`, and the strings of a TXT record are joined. */
  value: string
  caa?: { critical: boolean; tag: string; value: string }
  soa?: { minimum: number }
}

/**
 * Bytes as printable ASCII, with `\ddd` for other bytes and the backslash. In a label the dot is escaped too, so that a
 * label with a dot never looks like two. `spaced` keeps tabs.
 */
export function printable(bytes: Uint8Array, within: 'label' | 'text' | 'spaced'): string {
  let text = ''
  for (const byte of bytes) {
    const isPlain = byte > 0x20 && byte < 0x7f && byte !== backslash && !(within === 'label' && byte === dot)
    const isSpace = (byte === 0x20 && within !== 'label') || (byte === tab && within === 'spaced')
    text += isPlain || isSpace ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`
  }
  return text
}

const tab = 0x09
const backslash = 0x5c
const dot = 0x2e
