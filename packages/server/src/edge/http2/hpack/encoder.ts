import { encodeHuffman, huffmanLength } from './huffman-encode.ts'
import { staticTable } from './static-table.ts'

/** They say something about a connection of HTTP/1.1, and make an HTTP/2 message malformed (RFC 9113, 8.2.2). */
const connectionSpecific = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

interface StaticEntry {
  /** Of the first entry with this name. */
  index: number
  indexOfValue: Map<string, number>
}
const staticEntries = new Map<string, StaticEntry>()
for (const [at, [name, value]] of staticTable.entries()) {
  const entry = staticEntries.get(name) ?? { index: at + 1, indexOfValue: new Map() }
  entry.indexOfValue.set(value, at + 1)
  staticEntries.set(name, entry)
}

/** An index and two lengths take at most five bytes each. */
const mostBytesAround = 15
const scratch = Buffer.allocUnsafeSlow(16 * 1024)

/**
 * What we send uses the static table and literals that enter no table. So the bytes of a head depend on no connection:
 * they can be built once and sent on any.
 */
export function encodeHead(status: number, headers: readonly string[]): Buffer {
  let longest = ':status'.length + 3 + mostBytesAround
  for (const text of headers) longest += text.length + mostBytesAround
  const target = roomFor(longest)
  let at = writeField(target, 0, ':status', String(status))
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] as string).toLowerCase()
    if (!connectionSpecific.has(name)) at = writeField(target, at, name, headers[index + 1] as string)
  }
  return copyOf(target, at)
}

/** `name` in lower case. Each character is sent as one byte. */
export function encodeField(name: string, value: string): Buffer {
  const target = roomFor(name.length + value.length + mostBytesAround)
  return copyOf(target, writeField(target, 0, name, value))
}

function roomFor(length: number): Buffer {
  return length <= scratch.length ? scratch : Buffer.allocUnsafeSlow(length)
}

/** With memory of its own: a head may be kept for long, and would keep a whole slab of node's pool with it. */
function copyOf(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(length)
  bytes.copy(copy, 0, 0, length)
  return copy
}

/** Returns where it ended, as the writers below do. */
function writeField(target: Buffer, start: number, name: string, value: string): number {
  const entry = staticEntries.get(name)
  const exact = entry?.indexOfValue.get(value)
  if (exact !== undefined) return writeInteger(target, start, 0x80, 0x7f, exact)
  const at = writeInteger(target, start, 0, 0x0f, entry?.index ?? 0)
  return writeString(target, entry === undefined ? writeString(target, at, name) : at, value)
}

/** With Huffman's code if that is shorter. */
function writeString(target: Buffer, start: number, text: string): number {
  const coded = huffmanLength(text)
  if (coded < text.length) return encodeHuffman(text, target, writeInteger(target, start, 0x80, 0x7f, coded))
  const at = writeInteger(target, start, 0, 0x7f, text.length)
  return at + target.write(text, at, 'latin1')
}

/** RFC 7541, 5.1. `flags` are the bits of the first byte that do not belong to the integer. */
function writeInteger(target: Buffer, start: number, flags: number, prefix: number, value: number): number {
  if (value < prefix) {
    target[start] = flags | value
    return start + 1
  }
  target[start] = flags | prefix
  let at = start + 1
  let left = value - prefix
  for (; left >= 0x80; left >>>= 7) target[at++] = (left & 0x7f) | 0x80
  target[at] = left
  return at + 1
}
