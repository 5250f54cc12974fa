/** Which keys go by a name, so that those are found without looking at all of them. A key is always a name of its own. */
export class NameIndex {
  readonly #keys = new Map<string, Set<string>>()

  get size(): number {
    return this.#keys.size
  }

  add(key: string, names: readonly string[]): void {
    for (const name of names) {
      const keys = this.#keys.get(name)
      if (keys === undefined) this.#keys.set(name, new Set([key]))
      else keys.add(key)
    }
  }

  remove(key: string, names: readonly string[]): void {
    for (const name of names) {
      const keys = this.#keys.get(name)
      keys?.delete(key)
      if (keys?.size === 0) this.#keys.delete(name)
    }
  }

  keysOf(name: string): string[] {
    return [name, ...(this.#keys.get(name) ?? [])]
  }
}

/** The latest changes in their order, for those who have begun something and want to know what came meanwhile. */
export class RecentChanges<T> {
  readonly #most: number
  #changes: T[] = []
  #forgotten = 0

  constructor(most = 4096) {
    this.#most = most
  }

  /** Now, as `since` takes it. */
  get mark(): number {
    return this.#forgotten + this.#changes.length
  }

  add(change: T): void {
    this.#changes.push(change)
    if (this.#changes.length <= this.#most) return
    const half = this.#most >> 1
    this.#changes = this.#changes.slice(-half)
    this.#forgotten += this.#most + 1 - half
  }

  /** Null where some of them are not known any more. */
  since(mark: number): T[] | null {
    return mark < this.#forgotten ? null : this.#changes.slice(mark - this.#forgotten)
  }
}

/** How things stand. Over as soon as anything changes: until then, what was made of them need not be made again. */
export interface CacheGeneration {
  isOver: boolean
}
