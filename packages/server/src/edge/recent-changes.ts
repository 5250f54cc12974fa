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
