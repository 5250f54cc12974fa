import { minute, second } from '../kernel/clock.ts'
import type { Change, ChangeFeed } from './change-feed.ts'

/**
 * How long a change of another process may stay unknown here, at most. The feed polls once a second; when it cannot
 * read for longer than this, every value is loaded again.
 */
export const maxStaleness = 2 * second
/** A reload now and then limits what a change made past us, by hand in the database, can do. */
const keptFor = minute

interface Entry<Value> {
  value: Value
  loadedAt: number
  subjects: readonly string[]
  bytes: number
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
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #keysBySubject = new Map<string, Set<string>>()
  #bytes = 0
  /** What changed during each running load: what it found may be outdated. Null: anything may have. */
  readonly #changedDuringLoads = new Set<Set<string | null>>()

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
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known.value
    }
    const loadedAt = performance.now()
    const changed = new Set<string | null>()
    this.#changedDuringLoads.add(changed)
    try {
      const value = await load()
      this.#delete(key)
      if (value !== null) this.#keep(key, value, { loadedAt, changed })
      return value
    } finally {
      this.#changedDuringLoads.delete(changed)
    }
  }

  #keep(key: string, value: Value, { loadedAt, changed }: { loadedAt: number; changed: Set<string | null> }) {
    const { maxEntries, maxBytes = Number.POSITIVE_INFINITY, subjectsOf, bytesOf = () => 0 } = this.#options
    const subjects = subjectsOf(value)
    const bytes = bytesOf(value)
    if (subjects === null || bytes > maxBytes) return
    if (changed.has(null) || subjects.some((subject) => changed.has(subject))) return
    this.#entries.set(key, { value, loadedAt, subjects, bytes })
    this.#bytes += bytes
    for (const subject of subjects) {
      const keys = this.#keysBySubject.get(subject)
      if (keys === undefined) this.#keysBySubject.set(subject, new Set([key]))
      else keys.add(key)
    }
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#bytes <= maxBytes) return
      this.#delete(oldest)
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
    for (const changed of this.#changedDuringLoads) changed.add(subject)
    const outdated = subject === null ? this.#entries.keys() : this.#keysBySubject.get(subject)
    for (const key of [...(outdated ?? [])]) this.#delete(key)
  }
}
