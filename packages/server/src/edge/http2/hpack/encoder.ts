import { encodeHuffman, huffmanLength } from './huffman-encode.ts'
import { staticTable } from './static-table.ts'

/**
 * What we send uses the static table and literals that enter no table. So the bytes of a head depend on no connection:
 * they can be built once and sent on any.
 */
export function encodeHead(status: number, headers: readonly string[]): Buffer {
  const fields = [encodeField(':status', String(status))]
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] as string).toLowerCase()
    if (!connectionSpecific.has(name)) fields.push(encodeField(name, headers[at + 1] as string))
  }
  return Buffer.concat(fields)
}

/** `name` in lower case. Each character is sent as one byte. */
export function encodeField(name: string, value: string): Buffer {
  const exact = indexOfField.get(`${name}\n${value}`)
  if (exact !== undefined) return encodeInteger(0x80, 0x7f, exact)
  const index = indexOfName.get(name)
  const text = encodeString(value)
  return index === undefined
    ? Buffer.concat([encodeInteger(0, 0x0f, 0), encodeString(name), text])
    : Buffer.concat([encodeInteger(0, 0x0f, index), text])
}

/** They say something about a connection of HTTP/1.1, and make an HTTP/2 message malformed (RFC 9113, 8.2.2). */
const connectionSpecific = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

const indexOfField = new Map(staticTable.map(([name, value], at) => [`${name}\n${value}`, at + 1]))
/** The first entry of each name. */
const indexOfName = new Map(staticTable.map(([name], at) => [name, at + 1] as const).reverse())

/** With Huffman's code if that is shorter. */
function encodeString(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  const length = huffmanLength(bytes)
  if (length >= bytes.length) return Buffer.concat([encodeInteger(0, 0x7f, bytes.length), bytes])
  const head = encodeInteger(0x80, 0x7f, length)
  const encoded = Buffer.alloc(head.length + length)
  head.copy(encoded)
  encodeHuffman(bytes, encoded, head.length)
  return encoded
}

/** RFC 7541, 5.1. `flags` are the bits of the first byte that do not belong to the integer. */
function encodeInteger(flags: number, prefix: number, value: number): Buffer {
  if (value < prefix) return Buffer.from([flags | value])
  const bytes = [flags | prefix]
  let left = value - prefix
  for (; left >= 0x80; left >>>= 7) bytes.push((left & 0x7f) | 0x80)
  bytes.push(left)
  return Buffer.from(bytes)
}
