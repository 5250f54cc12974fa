interface Held<T> {
  value: T
  weight: number
  usedSince: boolean
}

/**
 * Keeps what is used, up to a total weight. The oldest goes first, unless it was used since it was last looked at:
 * a hit only sets a flag, which costs the hot path less than moving the entry to the front.
 */
export class BoundedCache<T> {
  readonly #held = new Map<string, Held<T>>()
  readonly #maxWeight: number
  readonly #onGone: (key: string, value: T) => void
  #weight = 0

  /** `onGone` is told of everything that is no longer held, whoever wanted it so. */
  constructor(maxWeight: number, onGone: (key: string, value: T) => void = () => {}) {
    this.#maxWeight = maxWeight
    this.#onGone = onGone
  }

  get weight(): number {
    return this.#weight
  }

  /** Without counting as use. */
  peek(key: string): T | undefined {
    return this.#held.get(key)?.value
  }

  get(key: string): T | undefined {
    const held = this.#held.get(key)
    if (held === undefined) return undefined
    held.usedSince = true
    return held.value
  }

  /** The newest is always kept, however heavy. */
  set(key: string, value: T, weight: number): void {
    this.delete(key)
    this.#makeRoom(weight)
    this.#held.set(key, { value, weight, usedSince: false })
    this.#weight += weight
  }

  delete(key: string): void {
    const held = this.#held.get(key)
    if (held === undefined) return
    this.#held.delete(key)
    this.#weight -= held.weight
    this.#onGone(key, held.value)
  }

  *entries(): IterableIterator<[string, T]> {
    for (const [key, held] of this.#held) yield [key, held.value]
  }

  /** Ends: a used entry is passed over once and then stands at the back with its flag cleared. */
  #makeRoom(weight: number): void {
    for (const [key, held] of this.#held) {
      if (this.#weight + weight <= this.#maxWeight) return
      this.#held.delete(key)
      if (held.usedSince) {
        held.usedSince = false
        this.#held.set(key, held)
      } else {
        this.#weight -= held.weight
        this.#onGone(key, held.value)
      }
    }
  }
}
