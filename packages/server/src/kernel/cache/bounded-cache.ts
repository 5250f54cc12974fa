interface Entry<T> {
  value: T
  weight: number
  wasUsed: boolean
}

/**
 * A cache bounded by total weight, with second-chance eviction (CLOCK): the oldest entry goes first unless it was used.
 * A hit only sets a flag, which costs the hot path less than the reordering of an LRU cache.
 */
export class BoundedCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #maxWeight: number
  readonly #onRemove: (key: string, value: T) => void
  #weight = 0

  /** `onRemove` is called for every entry that is replaced, evicted or deleted. */
  constructor(maxWeight: number, onRemove: (key: string, value: T) => void = () => {}) {
    this.#maxWeight = maxWeight
    this.#onRemove = onRemove
  }

  get size(): number {
    return this.#entries.size
  }

  get weight(): number {
    return this.#weight
  }

  /** Without counting as use. */
  peek(key: string): T | undefined {
    return this.#entries.get(key)?.value
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    entry.wasUsed = true
    return entry.value
  }

  /** The newest entry is always kept, however heavy. */
  set(key: string, value: T, weight: number): void {
    this.delete(key)
    this.#makeRoom(weight)
    this.#entries.set(key, { value, weight, wasUsed: false })
    this.#weight += weight
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
    this.#onRemove(key, entry.value)
  }

  *entries(): IterableIterator<[string, T]> {
    for (const [key, entry] of this.#entries) yield [key, entry.value]
  }

  /** Terminates: a used entry moves to the end once, with its flag cleared. */
  #makeRoom(weight: number): void {
    for (const [key, entry] of this.#entries) {
      if (this.#weight + weight <= this.#maxWeight) return
      this.#entries.delete(key)
      if (entry.wasUsed) {
        entry.wasUsed = false
        this.#entries.set(key, entry)
      } else {
        this.#weight -= entry.weight
        this.#onRemove(key, entry.value)
      }
    }
  }
}
