/** The types that are asked for and understood, by their numbers on the wire. */
export const recordCodes = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, CAA: 257 } as const

export type RecordType = keyof typeof recordCodes

export interface DnsRecord {
  /** Lower-case, without the final dot; see `printable` for other bytes than those of host names. */
  name: string
  type: RecordType
  ttl: number
  /** Printable ASCII, whatever came over the wire. Names are as `name`, the strings of a TXT are joined. */
  value: string
  caa?: { critical: boolean; tag: string; value: string }
  soa?: { minimum: number }
}

/**
 * Bytes as ASCII that is safe to print, with `\ddd` for what is not and for the backslash itself. In a label the
 * dot is escaped too, so that a label with a dot in it never looks like two. `spaced` leaves tabs as they are.
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
