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
  bytes: number
  /** Since it was last passed over. */
  wasUsed: boolean
}

export interface CurrentCacheOptions<Value> {
  /** The kind of change that makes values outdated. */
  kind: Extract<Change['kind'], 'access' | 'account'>
  maxEntries: number
  /** The accounts and people that the value depends on. Null: do not keep it. */
  subjectsOf: (value: Value) => readonly string[] | null
  /** For values of very different sizes. */
  maxBytes?: number
  bytesOf?: (value: Value) => number
}

/** Keeps what was loaded until the change feed reports a change of an account or person that it depends on. */
export class CurrentCache<Value> {
  readonly #changes: Pick<ChangeFeed, 'isCurrent'>
  readonly #options: CurrentCacheOptions<Value>
  /** Oldest first. One that was used gets a second chance, which costs less than moving it at every use. */
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #keysBySubject = new Map<string, Set<string>>()
  #bytes = 0
  /** The subjects of the latest changes: what was loaded meanwhile may be outdated. Null: anything may have changed. */
  readonly #recentChanges: (string | null)[] = []
  #changeCount = 0

  constructor(changes: Pick<ChangeFeed, 'isCurrent' | 'subscribe'>, options: CurrentCacheOptions<Value>) {
    this.#changes = changes
    this.#options = options
    changes.subscribe((change) => {
      if (change === null) this.#forget(null)
      else if (change.kind === options.kind) this.#forget(change.subject)
    })
  }

  get size(): number {
    return this.#entries.size
  }

  /** Absence is not kept, so a new key works immediately. */
  async get<Found extends Value | null>(key: string, load: () => Promise<Found>): Promise<Found | Value> {
    const known = this.#changes.isCurrent(maxStaleness) ? this.#entries.get(key) : undefined
    if (known !== undefined && performance.now() - known.loadedAt < keptFor) {
      known.wasUsed = true
      return known.value
    }
    const [changeCount, loadedAt] = [this.#changeCount, performance.now()]
    const value = await load()
    this.#delete(key)
    const subjects = value === null ? null : this.#options.subjectsOf(value)
    if (value === null || subjects === null || this.#hasChanged(subjects, changeCount)) return value
    this.#keep(key, { value, loadedAt, subjects, bytes: this.#options.bytesOf?.(value) ?? 0, wasUsed: false })
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
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#options
    if (entry.bytes > maxBytes) return
    this.#makeRoom(maxBytes - entry.bytes)
    this.#entries.set(key, entry)
    this.#bytes += entry.bytes
    for (const subject of entry.subjects) {
      const keys = this.#keysBySubject.get(subject)
      if (keys === undefined) this.#keysBySubject.set(subject, new Set([key]))
      else keys.add(key)
    }
  }

  /** For one more. Terminates: a used entry moves to the end once, with its flag cleared. */
  #makeRoom(maxBytes: number): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size < this.#options.maxEntries && this.#bytes <= maxBytes) return
      if (entry.wasUsed) {
        entry.wasUsed = false
        this.#entries.delete(key)
        this.#entries.set(key, entry)
      } else this.#delete(key)
    }
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    for (const subject of entry.subjects) {
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
    const outdated = subject === null ? this.#entries.keys() : this.#keysBySubject.get(subject)
    for (const key of [...(outdated ?? [])]) this.#delete(key)
  }
}
