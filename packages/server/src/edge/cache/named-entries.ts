import { BoundedCache } from '../../kernel/cache/bounded-cache.ts'
import type { Invalidation } from './invalidation.ts'

interface Named {
  readonly names: readonly string[]
}

export interface CacheEntry<Target, Value> extends Named {
  readonly target: Target
  readonly value: Value
  /** One of its names, of whose values only so many are kept. */
  readonly group: string | null
  isOutdated: boolean
  /** When an outdated value that could not be reloaded is tried again. */
  retryAt: number
  /** Whether the last reload timed out. */
  hasTimedOut: boolean
}

interface AbsentEntry extends Named {
  isOutdated: boolean
}

export interface EntryLimits {
  maxWeight: number
  maxAbsent: number
  maxPerGroup?: number | undefined
}

/** Cached values and keys known to be absent. A change finds them by key or by any of their names. */
export class NamedEntries<Target, Value> {
  readonly #index = new NameIndex()
  readonly #groups = new NameIndex()
  readonly #maxPerGroup: number
  readonly #found: BoundedCache<CacheEntry<Target, Value>>
  readonly #absent: BoundedCache<AbsentEntry>

  constructor({ maxWeight, maxAbsent, maxPerGroup = Number.POSITIVE_INFINITY }: EntryLimits) {
    this.#maxPerGroup = maxPerGroup
    const onRemove = (key: string, { names }: Named) => this.#index.remove(key, names)
    this.#found = new BoundedCache<CacheEntry<Target, Value>>(maxWeight, (key, entry) => {
      onRemove(key, entry)
      if (entry.group !== null) this.#groups.remove(key, [entry.group])
    })
    this.#absent = new BoundedCache<AbsentEntry>(maxAbsent, onRemove)
  }

  /** Null if the key is known to be absent, undefined if nothing is known. */
  get(key: string): CacheEntry<Target, Value> | null | undefined {
    return this.#found.get(key) ?? (this.#absent.get(key)?.isOutdated === false ? null : undefined)
  }

  /** Without counting as use. */
  peek(key: string): CacheEntry<Target, Value> | undefined {
    return this.#found.peek(key)
  }

  isAbsent(key: string): boolean {
    return this.#absent.peek(key)?.isOutdated === false
  }

  /** Whether the key was absent when it was loaded last. */
  wasAbsent(key: string): boolean {
    return this.#absent.peek(key) !== undefined
  }

  set(
    key: string,
    { target, value, names, group }: Pick<CacheEntry<Target, Value>, 'target' | 'value' | 'names' | 'group'>,
    weight: number,
  ): void {
    this.#remove(key)
    if (group !== null) {
      const oldest = this.#groups.firstBeyond(group, this.#maxPerGroup - 1)
      if (oldest !== undefined) this.#remove(oldest)
      this.#groups.add(key, [group])
    }
    this.#index.add(key, names)
    const entry = { target, value, names, group, isOutdated: false, retryAt: 0, hasTimedOut: false }
    this.#found.set(key, entry, weight)
  }

  setAbsent(key: string, names: readonly string[], isOutdated = false): void {
    this.#remove(key)
    this.#index.add(key, names)
    this.#absent.set(key, { names, isOutdated }, 1)
  }

  invalidate({ names, mayCreate, forget }: Invalidation): void {
    if (names === null) for (const [key] of this.#found.entries()) this.#invalidateKey(key, forget)
    else {
      for (const name of names) {
        for (const key of this.#index.keysOf(name)) this.#invalidateKey(key, forget)
      }
    }
    if (mayCreate) for (const [key] of this.#absent.entries()) this.#absent.delete(key)
  }

  #invalidateKey(key: string, forget: boolean): void {
    const absent = this.#absent.peek(key)
    // A name that is taken away may be covered by a wildcard from here on. If nobody can tell, it stays absent.
    if (absent !== undefined && forget) absent.isOutdated = true
    else this.#absent.delete(key)
    if (forget) this.#found.delete(key)
    const entry = this.#found.peek(key)
    if (entry === undefined) return
    entry.isOutdated = true
    entry.retryAt = 0
    entry.hasTimedOut = false
  }

  #remove(key: string): void {
    this.#found.delete(key)
    this.#absent.delete(key)
  }
}

/** Which keys have a name, without searching all of them. Every key is also a name of itself. */
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

  /** The oldest key with the name, if more than `most` have it. */
  firstBeyond(name: string, most: number): string | undefined {
    const keys = this.#keys.get(name)
    return keys === undefined || keys.size <= most ? undefined : keys.values().next().value
  }

  keysOf(name: string): string[] {
    return [name, ...(this.#keys.get(name) ?? [])]
  }
}
