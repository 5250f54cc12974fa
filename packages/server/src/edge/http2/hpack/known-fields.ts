import { fieldIds, type HeaderField } from './fields.ts'

/** A power of two. */
const slots = 4_096
/** Of an encoded value, with its length. Longer ones are decoded every time. */
const longestKnown = 64

/** Names of which visitors send the same values, on many connections, each time in full: encoders do not index them. */
export function isOftenRepeated(id: number): boolean {
  return id === fieldIds[':path'] || id === fieldIds['if-none-match']
}

/**
 * Fields by their encoded values, for all connections. A value that is known need not be decoded, checked and hashed
 * again. Each has two places. The newest takes the first, from where the previous one goes to the second.
 */
export class KnownFields {
  readonly #fields = new Array<HeaderField | null>(slots).fill(null)
  readonly #values = Buffer.allocUnsafeSlow(slots * longestKnown)

  /** The bytes are those of the value, with its length. */
  find(id: number, bytes: Buffer, start: number, end: number): HeaderField | null {
    if (end - start > longestKnown) return null
    const slot = slotOf(bytes, start, end)
    return this.#findAt(slot, id, bytes, start, end) ?? this.#findAt(slot ^ 1, id, bytes, start, end)
  }

  #findAt(slot: number, id: number, bytes: Buffer, start: number, end: number): HeaderField | null {
    const field = this.#fields[slot] ?? null
    if (field === null || field.id !== id) return null
    const values = this.#values
    // The first byte tells the length, so a shorter value is never the start of a longer one.
    for (let at = start, known = slot * longestKnown; at < end; at++, known++) {
      if (values[known] !== bytes[at]) return null
    }
    return field
  }

  /** A query may have a secret, which must not stay in memory. */
  keep(field: HeaderField, bytes: Buffer, start: number, end: number): void {
    if (end - start > longestKnown || field.value.includes('?')) return
    const slot = slotOf(bytes, start, end)
    const other = slot ^ 1
    this.#fields[other] = this.#fields[slot] ?? null
    this.#values.copyWithin(other * longestKnown, slot * longestKnown, (slot + 1) * longestKnown)
    this.#fields[slot] = field
    bytes.copy(this.#values, slot * longestKnown, start, end)
  }
}

/** FNV-1a. */
function slotOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return (hash ^ (hash >>> 16)) & (slots - 1)
}
