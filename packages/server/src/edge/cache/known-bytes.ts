/** Longer ones are not known. */
const longest = 64

/**
 * What bytes stand for, found without making a string of them. For short texts that many clients send alike, such as
 * paths: they are read, checked and hashed once. Each has two places. The newest takes the first, from where the previous
 * one goes to the second.
 */
export class KnownBytes<T extends object> {
  readonly #values: (T | null)[]
  readonly #lengths: Uint8Array
  readonly #bytes: Buffer
  readonly #mask: number

  /** `places` is a power of two. */
  constructor(places: number) {
    this.#values = new Array<T | null>(places).fill(null)
    this.#lengths = new Uint8Array(places)
    this.#bytes = Buffer.allocUnsafeSlow(places * longest)
    this.#mask = places - 1
  }

  find(bytes: Buffer, start: number, end: number): T | null {
    if (end - start > longest) return null
    const place = this.#placeOf(bytes, start, end)
    return this.#findAt(place, bytes, start, end) ?? this.#findAt(place ^ 1, bytes, start, end)
  }

  #findAt(place: number, bytes: Buffer, start: number, end: number): T | null {
    if (this.#lengths[place] !== end - start) return null
    const known = this.#bytes
    for (let at = start, to = place * longest; at < end; at++, to++) {
      if (known[to] !== bytes[at]) return null
    }
    return this.#values[place] ?? null
  }

  keep(value: T, bytes: Buffer, start: number, end: number): void {
    if (end - start > longest) return
    const place = this.#placeOf(bytes, start, end)
    const other = place ^ 1
    this.#values[other] = this.#values[place] ?? null
    this.#lengths[other] = this.#lengths[place] ?? 0
    this.#bytes.copyWithin(other * longest, place * longest, (place + 1) * longest)
    this.#values[place] = value
    this.#lengths[place] = end - start
    bytes.copy(this.#bytes, place * longest, start, end)
  }

  /** FNV-1a. */
  #placeOf(bytes: Buffer, start: number, end: number): number {
    let hash = 0x811c9dc5
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
    return (hash ^ (hash >>> 16)) & this.#mask
  }
}
