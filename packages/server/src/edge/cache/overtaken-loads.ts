import type { Invalidation } from './invalidation.ts'

const invalidateEverything: Invalidation = { names: null, mayCreate: true, forget: true }

/**
 * Remembers recent changes, so that a load can tell whether one of them overtook it: what it found may have been read
 * before the change.
 */
export class OvertakenLoads {
  readonly #recent = new RecentChanges<Invalidation>()

  /** To be taken when a load starts. */
  get mark(): number {
    return this.#recent.mark
  }

  add(change: Invalidation): void {
    this.#recent.add(change)
  }

  /** The changes since `mark` that concern what was loaded, or found absent, under these names. */
  changesSince(mark: number, names: readonly string[], isAbsent: boolean): Invalidation[] {
    const changes = this.#recent.since(mark) ?? [invalidateEverything]
    return changes.filter((change) => concerns(change, names, isAbsent))
  }
}

function concerns(change: Invalidation, names: readonly string[], isAbsent: boolean): boolean {
  if (change.names === null || (isAbsent && change.mayCreate)) return true
  return change.names.some((name) => names.includes(name))
}

/** The latest changes, in order. */
export class RecentChanges<T> {
  readonly #max: number
  #changes: T[] = []
  #dropped = 0

  constructor(max = 4096) {
    this.#max = max
  }

  /** The current position, for `since`. */
  get mark(): number {
    return this.#dropped + this.#changes.length
  }

  add(change: T): void {
    this.#changes.push(change)
    if (this.#changes.length <= this.#max) return
    const half = this.#max >> 1
    this.#changes = this.#changes.slice(-half)
    this.#dropped += this.#max + 1 - half
  }

  /** Null if some of them were dropped. */
  since(mark: number): T[] | null {
    return mark < this.#dropped ? null : this.#changes.slice(mark - this.#dropped)
  }
}
