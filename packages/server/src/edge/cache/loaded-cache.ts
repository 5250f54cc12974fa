import { withDatabaseTimeout } from '../../database/database-errors.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import { TimeoutError } from '../../kernel/with-timeout.ts'
import type { Invalidation } from './invalidation.ts'
import { NamedEntries } from './named-entries.ts'
import { OvertakenLoads } from './overtaken-loads.ts'

export interface LoadOptions<Target, Value> {
  load: (target: Target) => Promise<Value | null>
  /** Called when a value could not be reloaded and the outdated one is used. */
  onStale?: ((target: Target, error: unknown) => void) | undefined
  /** How long an outdated value is used after a failed reload before the next attempt. */
  retryAfterMs?: number | undefined
  /** A load that takes longer counts as failed, but its late result is still kept. */
  timeoutMs?: number | undefined
  now?: (() => number) | undefined
}

export interface LoadedCacheOptions<Target, Value> extends LoadOptions<Target, Value> {
  keyOf: (target: Target) => string
  /** The names by which a change may refer to it, besides its key. */
  namesOf: (target: Target, value: Value | null) => readonly string[]
  weightOf: (value: Value) => number
  /** One of its names, of whose values only so many are kept; null for none. */
  groupOf?: (value: Value) => string | null
  maxPerGroup?: number
  maxWeight: number
  maxAbsent: number
}

const maxTries = 3

/**
 * Loads values and keeps them until a change invalidates them; absence is kept too. If an outdated value cannot be
 * reloaded, it is used as it was (stale on error), unless the change forbids that.
 */
export class LoadedCache<Target, Value> {
  readonly #options: LoadedCacheOptions<Target, Value>
  readonly #retryAfterMs: number
  readonly #timeoutMs: number
  readonly #now: () => number
  readonly #entries: NamedEntries<Target, Value>
  readonly #overtaken = new OvertakenLoads()
  /** A load that began before a change is not shared after it. */
  #sharedLoad = this.#newFlight()

  constructor(options: LoadedCacheOptions<Target, Value>) {
    this.#options = options
    this.#retryAfterMs = options.retryAfterMs ?? 1000
    this.#timeoutMs = options.timeoutMs ?? 3000
    this.#now = options.now ?? Date.now
    const { maxWeight, maxAbsent, maxPerGroup } = options
    this.#entries = new NamedEntries({ maxWeight, maxAbsent, maxPerGroup })
  }

  /** Without waiting: the value, null if there is none, undefined if it has to be loaded. */
  get(target: Target): Value | null | undefined {
    const entry = this.#entries.get(this.#options.keyOf(target))
    if (!entry) return entry
    return entry.isOutdated && this.#mayRetry(entry) ? undefined : entry.value
  }

  /** A time that is further ahead than we ever wait is from before the clock was set back. */
  #mayRetry({ retryAt }: { retryAt: number }): boolean {
    const left = retryAt - this.#now()
    return left <= 0 || left > this.#retryAfterMs
  }

  /** Whether there is a value that no change has outdated. */
  isFresh(target: Target): boolean {
    return this.#entries.peek(this.#options.keyOf(target))?.isOutdated === false
  }

  /** The cached value, outdated or not. */
  lastKnown(target: Target): Value | undefined {
    return this.#entries.peek(this.#options.keyOf(target))?.value
  }

  /** Whether this is the cached value, outdated or not. */
  holds(target: Target, value: Value): boolean {
    return this.#entries.peek(this.#options.keyOf(target))?.value === value
  }

  /** Concurrent calls share one load. After a load timed out, nobody waits for the next one if there is a stale value. */
  load(target: Target): Promise<Value | null> {
    const key = this.#options.keyOf(target)
    const before = this.#entries.peek(key)
    const loading = this.#sharedLoad(key, target, 1)
    if (before?.hasTimedOut !== true) return loading
    loading.catch(() => {})
    return Promise.resolve(before.value)
  }

  /** Has the value reloaded on its next use. */
  protected expire(target: Target): void {
    const entry = this.#entries.peek(this.#options.keyOf(target))
    if (entry !== undefined) entry.isOutdated = true
  }

  protected invalidate(change: Invalidation): void {
    this.#entries.invalidate(change)
    this.#overtaken.add(change)
    this.#sharedLoad = this.#newFlight()
  }

  #newFlight() {
    return singleFlight((key: string, target: Target, tries: number) => this.#load(key, target, tries))
  }

  async #load(key: string, target: Target, tries: number): Promise<Value | null> {
    const { mark } = this.#overtaken
    const loading = this.#options.load(target)
    let value: Value | null
    try {
      value = await withDatabaseTimeout(loading, this.#timeoutMs)
    } catch (error) {
      if (error instanceof TimeoutError) {
        loading.then((late) => this.#keepLate(key, target, late, mark)).catch(() => {})
      }
      return this.#staleValue(key, error)
    }
    const overtaking = this.#keepUnlessOvertaken(key, target, value, mark)
    // Callers that asked before the change may have the older value, unless the change forbids it.
    if (value === null) {
      if (overtaking.length > 0) this.#keepOutdatedAbsence(key, target, overtaking)
      return value
    }
    if (!overtaking.some(({ forget }) => forget)) {
      if (overtaking.length > 0) this.#keepOutdated(key, target, value)
      return value
    }
    // The change started a new flight, so this does not wait for itself.
    if (tries < maxTries) return this.#sharedLoad(key, target, tries + 1)
    return this.#staleValue(key, new Error(`${key} changes faster than it can be loaded`))
  }

  /** Kept for the next caller, unless something newer was loaded meanwhile. */
  #keepLate(key: string, target: Target, value: Value | null, mark: number): void {
    const isKnown = this.isFresh(target) || this.#entries.isAbsent(key)
    if (!isKnown) this.#keepUnlessOvertaken(key, target, value, mark)
  }

  /** Returns the changes that overtook the load. */
  #keepUnlessOvertaken(key: string, target: Target, value: Value | null, mark: number): Invalidation[] {
    const names = this.#options.namesOf(target, value)
    const overtaking = this.#overtaken.changesSince(mark, [key, ...names], value === null)
    if (overtaking.length > 0) return overtaking
    if (value === null) this.#entries.setAbsent(key, names)
    else this.#set(key, { target, value, names })
    return overtaking
  }

  /** For when it cannot be loaded again: something that changes all the time would never be kept otherwise. */
  #keepOutdated(key: string, target: Target, value: Value): void {
    if (this.isFresh(target)) return
    const names = this.#options.namesOf(target, value)
    this.#set(key, { target, value, names })
    this.expire(target)
  }

  /** For when it cannot be loaded again: what is taken away does not exist afterwards, unless something else covers it. */
  #keepOutdatedAbsence(key: string, target: Target, overtaking: readonly Invalidation[]): void {
    if (this.#entries.peek(key) !== undefined || this.#entries.wasAbsent(key)) return
    if (overtaking.some(({ forget, mayCreate }) => !forget || mayCreate)) return
    this.#entries.setAbsent(key, this.#options.namesOf(target, null), true)
  }

  #set(key: string, entry: { target: Target; value: Value; names: readonly string[] }): void {
    const group = this.#options.groupOf?.(entry.value) ?? null
    this.#entries.set(key, { ...entry, group }, this.#options.weightOf(entry.value))
  }

  #staleValue(key: string, error: unknown): Value | null {
    const stale = this.#entries.get(key)
    if (!stale) {
      if (this.#entries.wasAbsent(key)) return null
      throw error
    }
    stale.retryAt = this.#now() + this.#retryAfterMs
    stale.hasTimedOut = error instanceof TimeoutError
    this.#options.onStale?.(stale.target, error)
    return stale.value
  }
}
