import type { Header } from './browsers.ts'

/** The static table (RFC 7541, appendix A), as far as requests use it. */
const staticNames: Record<string, number> = {
  ':authority': 1,
  ':method': 2,
  ':path': 4,
  ':scheme': 6,
  'accept-encoding': 16,
  'accept-language': 17,
  accept: 19,
  cookie: 32,
  'if-none-match': 41,
  referer: 51,
  'user-agent': 58,
}
const staticHeaders: Record<string, number> = { ':method: GET': 2, ':path: /': 4, ':scheme: https': 7 }
const firstDynamic = 62
const tableBytes = 4096

/** Code lengths of the characters from space to tilde (RFC 7541, appendix B). The codes follow, being canonical. */
const codeLengths = [
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5,
  6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13,
]
const codes = canonicalCodes()

/** By character; as text, which is slow and short. Every block is written once. */
function canonicalCodes(): Map<string, string> {
  // NUL is the one other character with a short code, and comes first among those of its length.
  const symbols = [
    { character: 0, length: 13 },
    ...codeLengths.map((length, index) => ({ character: index + 32, length })),
  ]
  const codes = new Map<string, string>()
  let [code, width] = [-1, 5]
  for (const { character, length } of symbols.sort(
    (a, b) => a.length - b.length || a.character - b.character,
  )) {
    code = (code + 1) * 2 ** (length - width)
    width = length
    codes.set(String.fromCharCode(character), code.toString(2).padStart(length, '0'))
  }
  return codes
}

function huffman(text: string): Buffer {
  const bits = [...text].map((character) => codes.get(character)).join('')
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
  return Buffer.from(padded.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}

function integer(value: number, prefixBits: number, flags: number): Buffer {
  const most = 2 ** prefixBits - 1
  if (value < most) return Buffer.from([flags | value])
  const bytes = [flags | most]
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

function string(text: string): Buffer {
  const bytes = huffman(text)
  return Buffer.concat([integer(bytes.length, 7, 128), bytes])
}

/** For what is different in every request, and not worth a place in the table. */
export function literal(name: string, value: string): Buffer {
  const isRoot = name === ':path' && value === '/'
  return isRoot
    ? Buffer.from([128 | 4])
    : Buffer.concat([integer(staticNames[name] ?? 0, 4, 0), string(value)])
}

/** The request headers of one connection, written as browsers do: once in full, then as a number (RFC 7541). */
export class HpackWriter {
  readonly #positions = new Map<string, number>()
  #bytes = 0

  /** How often the table has changed; what was written before is wrong after. */
  get changes(): number {
    return this.#positions.size
  }

  write(headers: readonly Header[]): Buffer {
    return Buffer.concat(headers.map(([name, value]) => this.#write(name, value)))
  }

  #write(name: string, value: string): Buffer {
    const whole = `${name}: ${value}`
    const known = staticHeaders[whole]
    if (known !== undefined) return integer(known, 7, 128)
    const position = this.#positions.get(whole)
    if (position !== undefined) return integer(firstDynamic + this.#positions.size - 1 - position, 7, 128)
    this.#bytes += name.length + value.length + 32
    if (this.#bytes > tableBytes) throw new Error('These headers do not fit into the table')
    this.#positions.set(whole, this.#positions.size)
    const index = staticNames[name]
    const start =
      index === undefined ? Buffer.concat([Buffer.from([64]), string(name)]) : integer(index, 6, 64)
    return Buffer.concat([start, string(value)])
  }
}
