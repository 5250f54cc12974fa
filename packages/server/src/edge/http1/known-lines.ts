const wordLength = 4
/** Fibonacci hashing. */
const multiplier = 0x9e3779b1

/**
 * What whole lines stand for, found without reading them byte by byte. For lines that many requests have alike: they are
 * parsed and checked once. Each has two places. The newest takes the first, from where the previous one goes to the second.
 */
export class KnownLines<T extends object> {
  readonly #longest: number
  readonly #shift: number
  readonly #values: (T | null)[]
  readonly #lengths: Uint16Array
  readonly #words: DataView
  /** Of the line that was looked for last; -1 if it cannot be kept. */
  #place = -1
  #end = 0

  /** Of `longest` bytes, a multiple of 4. `places` is a power of two. */
  constructor(places: number, longest: number) {
    this.#longest = longest
    this.#shift = Math.clz32(places) + 1
    this.#values = new Array<T | null>(places).fill(null)
    this.#lengths = new Uint16Array(places)
    this.#words = new DataView(new ArrayBuffer(places * longest))
  }

  /** Where the line that was looked for last ends: at the first byte that is not printable ASCII. */
  get end(): number {
    return this.#end
  }

  /** Looks for the line that begins at `start`. Bytes from `end` on are not looked at. */
  find(bytes: DataView, start: number, end: number): T | null {
    let hash = 0
    let at = start
    let unprintable = 0
    for (; at + wordLength <= end; at += wordLength) {
      const word = bytes.getInt32(at, true)
      unprintable = unprintableIn(word)
      if (unprintable !== 0) break
      hash = Math.imul(hash ^ word, multiplier)
    }
    if (unprintable !== 0) at += firstByteOf(unprintable)
    else while (at < end && isPrintable(bytes.getUint8(at))) at++
    this.#end = at
    const length = at - start
    if (length < wordLength || length > this.#longest) {
      this.#place = -1
      return null
    }
    // The last word may overlap the one before, which is simpler than what is left byte by byte.
    hash = Math.imul(hash ^ bytes.getInt32(at - wordLength, true) ^ length, multiplier)
    const place = hash >>> this.#shift
    this.#place = place
    if (this.#isAt(place, bytes, start, at)) return this.#values[place] ?? null
    return this.#isAt(place ^ 1, bytes, start, at) ? (this.#values[place ^ 1] ?? null) : null
  }

  /** Keeps what the line that was looked for last stands for, unless it is too long. It begins at `start`. */
  keep(value: T, bytes: DataView, start: number): void {
    const place = this.#place
    if (place === -1) return
    const other = place ^ 1
    this.#copy(this.#words, place * this.#longest, other, this.#lengths[place] ?? 0)
    this.#values[other] = this.#values[place] ?? null
    this.#copy(bytes, start, place, this.#end - start)
    this.#values[place] = value
  }

  #isAt(place: number, bytes: DataView, start: number, end: number): boolean {
    const words = this.#words
    const length = end - start
    if (this.#lengths[place] !== length) return false
    const to = place * this.#longest
    const last = length - wordLength
    for (let at = 0; at < last; at += wordLength) {
      if (words.getInt32(to + at, true) !== bytes.getInt32(start + at, true)) return false
    }
    return words.getInt32(to + last, true) === bytes.getInt32(start + last, true)
  }

  #copy(from: DataView, start: number, place: number, length: number): void {
    this.#lengths[place] = length
    if (length === 0) return
    const to = place * this.#longest
    const last = length - wordLength
    for (let at = 0; at < last; at += wordLength) {
      this.#words.setInt32(to + at, from.getInt32(start + at, true), true)
    }
    this.#words.setInt32(to + last, from.getInt32(start + last, true), true)
  }
}

function isPrintable(code: number): boolean {
  return code >= 32 && code < 127
}

/** The highest bit of each byte that is not printable ASCII. Right for the first of them; later ones may be wrong. */
function unprintableIn(word: number): number {
  const isControl = (word - 0x20202020) & ~word
  const fromDelete = word ^ 0x7f7f7f7f
  const isDelete = (fromDelete - 0x01010101) & ~fromDelete
  return (isControl | isDelete | word) & 0x80808080
}

/** In a word that was read with its first byte as the lowest. */
function firstByteOf(highestBits: number): number {
  return (31 - Math.clz32(highestBits & -highestBits)) >> 3
}
