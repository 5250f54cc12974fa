import { minute, second } from '../kernel/clock.ts'
import type { ChangeFeed } from './change-feed.ts'

/**
 * How long a change of another process may stay unknown here, at most. The feed polls once a second; when it cannot
 * read for longer than this, every value is loaded anew.
 */
export const maxStaleness = 2 * second
/** A reload now and then limits what a change made past us, by hand in the database, can do. */
const keptFor = minute

interface Entry<Value> {
  value: Value
  loadedAt: number
}

export interface CurrentCacheOptions<Value> {
  maxEntries: number
  /** The accounts and people that the value depends on. Null: do not keep it. */
  subjectsOf: (value: Value) => readonly string[] | null
}

/** Keeps what was loaded about keys and sessions until the change feed reports a change of their account or person. */
export class CurrentCache<Value> {
  readonly #changes: Pick<ChangeFeed, 'isCurrent'>
  readonly #options: CurrentCacheOptions<Value>
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>()
  /** Counts changes: what a load found before one may be outdated after it. */
  #generation = 0

  constructor(changes: Pick<ChangeFeed, 'isCurrent' | 'subscribe'>, options: CurrentCacheOptions<Value>) {
    this.#changes = changes
    this.#options = options
    changes.subscribe((change) => {
      if (change === null) this.#forget(() => true)
      else if (change.kind === 'access') this.#forget((subjects) => subjects.includes(change.subject))
    })
  }

  get size(): number {
    return this.#entries.size
  }

  /** Absence is not kept, so a new key works immediately. */
  async get(key: string, load: () => Promise<Value | null>): Promise<Value | null> {
    const isCurrent = this.#changes.isCurrent(maxStaleness)
    const known = isCurrent ? this.#entries.get(key) : undefined
    if (known !== undefined && performance.now() - known.loadedAt < keptFor) {
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known.value
    }
    const [generation, loadedAt] = [this.#generation, performance.now()]
    const value = await load()
    this.#entries.delete(key)
    if (value !== null && generation === this.#generation) this.#keep(key, { value, loadedAt })
    return value
  }

  #keep(key: string, entry: Entry<Value>): void {
    if (this.#options.subjectsOf(entry.value) === null) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= this.#options.maxEntries) this.#entries.delete(oldest)
    this.#entries.set(key, entry)
  }

  #forget(concerns: (subjects: readonly string[]) => boolean): void {
    this.#generation++
    for (const [key, { value }] of this.#entries) {
      if (concerns(this.#options.subjectsOf(value) ?? [])) this.#entries.delete(key)
    }
  }
}
