import { BoundedCache } from '../kernel/cache/bounded-cache.ts'
import { minute, second } from '../kernel/clock.ts'
import type { Change, ChangeFeed } from './change-feed.ts'

/**
 * How long a change of another process may stay unknown here, at most. The feed polls once a second; when it cannot
 * read for longer than this, every value is loaded again.
 */
export const maxStaleness = 2 * second
/** A reload now and then limits what a change made past us, by hand in the database, can do. */
const keptFor = minute
/** Of longer loads nothing is kept, if so much has changed meanwhile. */
const maxRecentChanges = 1_000

interface Entry<Value> {
  value: Value
  loadedAt: number
  subjects: readonly string[]
}

export interface CurrentCacheOptions<Value> {
  /** The kind of change that makes values outdated. */
  kind: Extract<Change['kind'], 'access' | 'account'>
  /** Of all values together. */
  maxWeight: number
  /** 1 unless values have very different sizes. One that is heavier than all may be is not kept. */
  weightOf?: (value: Value) => number
  /** The accounts and people that the value depends on. Null: do not keep it. */
  subjectsOf: (value: Value) => readonly string[] | null
}

/** Keeps what was loaded until the change feed reports a change of an account or person that it depends on. */
export class CurrentCache<Value> {
  readonly #changes: Pick<ChangeFeed, 'isCurrent'>
  readonly #options: CurrentCacheOptions<Value>
  readonly #entries: BoundedCache<Entry<Value>>
  readonly #keysBySubject = new Map<string, Set<string>>()
  /** The subjects of the latest changes: what was loaded meanwhile may be outdated. Null: anything may have changed. */
  readonly #recentChanges: (string | null)[] = []
  #changeCount = 0

  constructor(changes: Pick<ChangeFeed, 'isCurrent' | 'subscribe'>, options: CurrentCacheOptions<Value>) {
    this.#changes = changes
    this.#options = options
    this.#entries = new BoundedCache(options.maxWeight, (key, entry) => this.#onRemove(key, entry))
    changes.subscribe((change) => {
      if (change === null) this.#forget(null)
      else if (change.kind === options.kind) this.#forget(change.subject)
    })
  }

  get size(): number {
    return this.#entries.size
  }

  /** Undefined if it has to be loaded. */
  known(key: string): Value | undefined {
    const entry = this.#changes.isCurrent(maxStaleness) ? this.#entries.get(key) : undefined
    return entry !== undefined && performance.now() - entry.loadedAt < keptFor ? entry.value : undefined
  }

  /** Absence is not kept, so a new key works immediately. */
  async get<Found extends Value | null>(key: string, load: () => Promise<Found>): Promise<Found | Value> {
    const known = this.known(key)
    if (known !== undefined) return known
    const [changeCount, loadedAt] = [this.#changeCount, performance.now()]
    const value = await load()
    this.#entries.delete(key)
    const subjects = value === null ? null : this.#options.subjectsOf(value)
    if (value === null || subjects === null || this.#hasChanged(subjects, changeCount)) return value
    this.#keep(key, { value, loadedAt, subjects })
    return value
  }

  /** Whether one of the subjects has changed since there were `changeCount` changes. */
  #hasChanged(subjects: readonly string[], changeCount: number): boolean {
    const since = this.#changeCount - changeCount
    if (since === 0) return false
    if (since > this.#recentChanges.length) return true
    return this.#recentChanges.slice(-since).some((one) => one === null || subjects.includes(one))
  }

  #keep(key: string, entry: Entry<Value>): void {
    const { maxWeight, weightOf = () => 1 } = this.#options
    const weight = weightOf(entry.value)
    if (weight > maxWeight) return
    this.#entries.set(key, entry, weight)
    for (const subject of entry.subjects) {
      const keys = this.#keysBySubject.get(subject)
      if (keys === undefined) this.#keysBySubject.set(subject, new Set([key]))
      else keys.add(key)
    }
  }

  #onRemove(key: string, { subjects }: Entry<Value>): void {
    for (const subject of subjects) {
      const keys = this.#keysBySubject.get(subject)
      keys?.delete(key)
      if (keys?.size === 0) this.#keysBySubject.delete(subject)
    }
  }

  /** Null: everything. */
  #forget(subject: string | null): void {
    this.#changeCount++
    this.#recentChanges.push(subject)
    if (this.#recentChanges.length > maxRecentChanges) this.#recentChanges.shift()
    const outdated =
      subject === null
        ? Array.from(this.#entries.entries(), ([key]) => key)
        : this.#keysBySubject.get(subject)
    for (const key of [...(outdated ?? [])]) this.#entries.delete(key)
  }
}
