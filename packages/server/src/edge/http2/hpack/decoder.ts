import type { KnownBytes } from '../../cache/known-bytes.ts'
import { DynamicTable } from './dynamic-table.ts'
import { createField, type HeaderField, type HeaderFields, withValue } from './fields.ts'
import { HpackError } from './hpack-error.ts'
import { decodeHuffman } from './huffman-decode.ts'
import { knownFields } from './known-fields.ts'
import { staticTable } from './static-table.ts'

export interface HpackLimits {
  /** What our SETTINGS say. 4096 is what every encoder starts with; anything else it learns only later. */
  tableSize: number
  /** Of one list, as RFC 7541, 4.1 counts: name, value and 32 for each field. */
  maxListSize: number
  maxFields: number
}

export interface DecodedBlock {
  /** Empty if `tooLarge`. */
  fields: HeaderFields
  tooLarge: boolean
}

const staticFields = staticTable.map(([name, value]) => createField(name, value))
const nothing: Buffer = Buffer.alloc(0)

/**
 * Decodes the header blocks of one connection (RFC 7541), in their order. Between blocks it holds the dynamic table and
 * nothing else.
 */
export class HpackDecoder {
  readonly #limits: HpackLimits
  readonly #table: DynamicTable
  #block = nothing
  #at = 0
  #end = 0
  #expectedFields = 16

  constructor(limits: HpackLimits) {
    this.#limits = limits
    this.#table = new DynamicTable(limits.tableSize)
  }

  /**
   * `block` is what HEADERS and its CONTINUATIONs carry together; the caller limits its length. Throws HpackError. A list
   * past the limits is decoded to the end all the same, because later blocks refer to its entries in the table.
   */
  decode(block: Buffer, start = 0, end = block.length): DecodedBlock {
    this.#block = block
    this.#at = start
    this.#end = end
    try {
      this.#readSizeUpdates()
      return this.#readFields()
    } finally {
      this.#block = nothing
    }
  }

  /** At most two are ever needed: the smallest size since the last block, and the final one (RFC 7541, 4.2). */
  #readSizeUpdates(): void {
    for (let count = 0; this.#at < this.#end && isSizeUpdate(this.#block[this.#at] as number); count++) {
      if (count === 2) throw new HpackError('A block starts with more than two table size updates')
      const size = this.#readInteger(0x1f)
      if (size > this.#limits.tableSize) throw new HpackError('A table size update exceeds our setting')
      this.#table.resize(size)
    }
  }

  #readFields(): DecodedBlock {
    const { maxListSize, maxFields } = this.#limits
    // Growing an array costs more than filling it, and most requests of a connection have as many fields as the last.
    const fields = new Array<HeaderField>(this.#expectedFields)
    let count = 0
    let size = 0
    let tooLarge = false
    while (this.#at < this.#end) {
      const field = this.#readField()
      if (tooLarge) continue
      size += field.size
      tooLarge = size > maxListSize || count === maxFields
      if (tooLarge) count = 0
      else fields[count++] = field
    }
    if (fields.length !== count) fields.length = count
    this.#expectedFields = count
    return { fields, tooLarge }
  }

  #readField(): HeaderField {
    const first = this.#block[this.#at] as number
    if (first >= 0x80) return this.#fieldAt(this.#readInteger(0x7f))
    if (first >= 0x40) {
      const field = this.#readLiteral(0x3f)
      this.#table.add(field)
      return field
    }
    if (isSizeUpdate(first)) throw new HpackError('A table size update is not at the start of its block')
    return this.#readLiteral(0x0f)
  }

  #readLiteral(indexBits: number): HeaderField {
    const index = this.#readInteger(indexBits)
    if (index === 0) return createField(this.#readString(), this.#readString())
    const named = this.#fieldAt(index)
    const known = knownFields(named.id)
    return known === null ? withValue(named, this.#readString()) : this.#readKnown(named, known)
  }

  #readKnown(named: HeaderField, known: KnownBytes<HeaderField>): HeaderField {
    const start = this.#at
    this.#skipString()
    const before = known.find(this.#block, start, this.#at)
    if (before !== null) return before
    this.#at = start
    const field = withValue(named, this.#readString())
    // A query may have a secret, which must not stay in memory.
    if (!field.value.includes('?')) known.keep(field, this.#block, start, this.#at)
    return field
  }

  #fieldAt(index: number): HeaderField {
    const field = index < 62 ? staticFields[index - 1] : this.#table.at(index - 62)
    if (field === undefined) throw new HpackError('An index is in neither table')
    return field
  }

  #readString(): string {
    const isHuffman = (this.#block[this.#at] as number) >= 0x80
    const start = this.#skipString()
    return isHuffman
      ? decodeHuffman(this.#block, start, this.#at)
      : this.#block.toString('latin1', start, this.#at)
  }

  /** Returns where its bytes start, after their length. */
  #skipString(): number {
    if (this.#at === this.#end) throw new HpackError('A block ends within a field')
    const length = this.#readInteger(0x7f)
    const start = this.#at
    if (length > this.#end - start) throw new HpackError('A block ends within a string')
    this.#at = start + length
    return start
  }

  /** RFC 7541, 5.1. `prefix` covers the bits of the first byte that belong to the integer. */
  #readInteger(prefix: number): number {
    const value = (this.#block[this.#at++] as number) & prefix
    return value < prefix ? value : this.#readLongInteger(prefix)
  }

  /** Four more bytes reach 2^28, more than any length, index or size that we accept. */
  #readLongInteger(prefix: number): number {
    let value = prefix
    for (let shift = 0; shift < 28; shift += 7) {
      if (this.#at === this.#end) throw new HpackError('A block ends within an integer')
      const byte = this.#block[this.#at++] as number
      value += (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new HpackError('An integer is too large')
  }
}

function isSizeUpdate(first: number): boolean {
  return first >= 0x20 && first < 0x40
}
