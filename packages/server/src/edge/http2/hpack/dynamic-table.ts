import type { HeaderField } from './fields.ts'

/** Entries that have left the table are removed from the front of the array this many at a time. */
const batch = 64

/**
 * Fields that later ones may refer to (RFC 7541, 2.3.2). The sizes of its entries never add up to more than `maxSize`,
 * and an entry counts for at least 32 bytes: with 4096 bytes there are at most 128,
 * which take about 11 kB of memory.
 */
export class DynamicTable {
  /** The oldest first. Those before `#first` have left. */
  readonly #entries: (HeaderField | undefined)[] = []
  #first = 0
  #size = 0
  #maxSize: number

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  /** The newest is at 0. */
  at(index: number): HeaderField | undefined {
    const position = this.#entries.length - 1 - index
    return position < this.#first ? undefined : this.#entries[position]
  }

  /** A field larger than the table empties it, which is no error (RFC 7541, 4.4). */
  add(field: HeaderField): void {
    this.#evict(this.#maxSize - field.size)
    if (field.size > this.#maxSize) return
    this.#entries.push(field)
    this.#size += field.size
  }

  resize(maxSize: number): void {
    this.#maxSize = maxSize
    this.#evict(maxSize)
  }

  #evict(maxSize: number): void {
    while (this.#size > maxSize && this.#first < this.#entries.length) {
      this.#size -= this.#entries[this.#first]?.size ?? 0
      this.#entries[this.#first++] = undefined
    }
    if (this.#first < batch) return
    this.#entries.splice(0, this.#first)
    this.#first = 0
  }
}
