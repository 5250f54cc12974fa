import { encodeHuffman, huffmanLength } from '@masthead/server/src/edge/http2/hpack/huffman-encode.ts'
import { staticTable } from '@masthead/server/src/edge/http2/hpack/static-table.ts'
import type { Header } from './browsers.ts'

/** The first entry with this name or header counts; numbers begin with 1 (RFC 7541, appendix A). */
const staticNames = new Map(staticTable.map(([name], index) => [name, index + 1] as const).reverse())
const staticHeaders = new Map(staticTable.map(([name, value], index) => [`${name}: ${value}`, index + 1]))
const firstDynamic = staticTable.length + 1
const tableBytes = 4096

function integer(value: number, prefixBits: number, flags: number): Buffer {
  const most = 2 ** prefixBits - 1
  if (value < most) return Buffer.from([flags | value])
  const bytes = [flags | most]
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

function string(text: string): Buffer {
  const bytes = Buffer.alloc(huffmanLength(text))
  encodeHuffman(text, bytes, 0)
  return Buffer.concat([integer(bytes.length, 7, 128), bytes])
}

/** For what is different in every request, and not worth a place in the table. */
export function literal(name: string, value: string): Buffer {
  const known = staticHeaders.get(`${name}: ${value}`)
  if (known !== undefined) return integer(known, 7, 128)
  return Buffer.concat([integer(staticNames.get(name) ?? 0, 4, 0), string(value)])
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
    const known = staticHeaders.get(whole)
    if (known !== undefined) return integer(known, 7, 128)
    const position = this.#positions.get(whole)
    if (position !== undefined) return integer(firstDynamic + this.#positions.size - 1 - position, 7, 128)
    this.#bytes += name.length + value.length + 32
    if (this.#bytes > tableBytes) throw new Error('These headers do not fit into the table')
    this.#positions.set(whole, this.#positions.size)
    const index = staticNames.get(name)
    const start =
      index === undefined ? Buffer.concat([Buffer.from([64]), string(name)]) : integer(index, 6, 64)
    return Buffer.concat([start, string(value)])
  }
}
