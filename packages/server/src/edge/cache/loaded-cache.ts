import { TimeoutError, withTimeout } from '../../kernel/with-timeout.ts'
import { BoundedCache } from './bounded-cache.ts'
import { NameIndex, RecentChanges } from './invalidation.ts'

/** How values come in and what happens when they do not. */
export interface LoadOptions<Target, Value> {
  load: (target: Target) => Promise<Value | null>
  /** Told when something could not be loaded anew and is used as it was. */
  onOutdated?: ((target: Target, error: unknown) => void) | undefined
  /** How long something outdated is used after a failed load before the next attempt. */
  retryAfterMs?: number | undefined
  /** How long a load is waited for. One that takes longer counts as failed, though what it brings is still kept. */
  patienceMs?: number | undefined
  now?: (() => number) | undefined
}

export interface LoadedCacheOptions<Target, Value> extends LoadOptions<Target, Value> {
  keyOf: (target: Target) => string
  /** What a change may call it, its key aside. */
  namesOf: (target: Target, value: Value | null) => readonly string[]
  weightOf: (value: Value) => number
  maxWeight: number
  maxAbsent: number
}

export interface Invalidation {
  /** Names of what is no longer as it was; null: everything. */
  readonly names: readonly string[] | null
  /** Whether there may be something now wherever there was nothing. */
  readonly mayCreate: boolean
  /** Whether what is known must not be used again, not even while nothing newer can be loaded. */
  readonly forget: boolean
}

interface Named {
  readonly names: readonly string[]
}

interface Entry<Target, Value> extends Named {
  readonly target: Target
  readonly value: Value
  isOutdated: boolean
  retryAt: number
  /** Whether the last attempt to load it anew had no answer in time. */
  isUnanswered: boolean
}

const invalidateEverything: Invalidation = { names: null, mayCreate: true, forget: true }
const mostTries = 3

/**
 * What was loaded, kept until a change says otherwise, and so is what was not found. When something has changed and
 * cannot be loaded anew, it goes on being used as it was, unless the change forbids that.
 */
export class LoadedCache<Target, Value> {
  readonly #options: LoadedCacheOptions<Target, Value>
  readonly #retryAfterMs: number
  readonly #patienceMs: number
  readonly #now: () => number
  readonly #index = new NameIndex()
  readonly #found: BoundedCache<Entry<Target, Value>>
  readonly #absent: BoundedCache<Named>
  readonly #recent = new RecentChanges<Invalidation>()
  readonly #shared = new Map<string, Promise<Value | null>>()

  constructor(options: LoadedCacheOptions<Target, Value>) {
    this.#options = options
    this.#retryAfterMs = options.retryAfterMs ?? 1000
    this.#patienceMs = options.patienceMs ?? 3000
    this.#now = options.now ?? Date.now
    const onGone = (key: string, { names }: Named) => this.#index.remove(key, names)
    this.#found = new BoundedCache<Entry<Target, Value>>(options.maxWeight, onGone)
    this.#absent = new BoundedCache(options.maxAbsent, onGone)
  }

  /** Without waiting: the value, null where there is none, undefined where it must be loaded first. */
  get(target: Target): Value | null | undefined {
    const key = this.#options.keyOf(target)
    const entry = this.#found.get(key)
    if (entry === undefined) return this.#absent.get(key) === undefined ? undefined : null
    return entry.isOutdated && this.#now() >= entry.retryAt ? undefined : entry.value
  }

  /** Whether there is a value, and no change has been told of since it was loaded. */
  isFresh(target: Target): boolean {
    return this.#found.peek(this.#options.keyOf(target))?.isOutdated === false
  }

  /** Whether this is what is known, outdated or not. */
  holds(target: Target, value: Value): boolean {
    return this.#found.peek(this.#options.keyOf(target))?.value === value
  }

  /**
   * Those who ask while the first load is under way share it, unless something changed since it began. What could not
   * be loaded in time before is not waited for once more while there is something to use.
   */
  load(target: Target): Promise<Value | null> {
    const key = this.#options.keyOf(target)
    const underWay = this.#shared.get(key)
    const before = this.#found.peek(key)
    if (before?.isUnanswered !== true) return underWay ?? this.#begin(key, target, 1)
    if (underWay === undefined) this.#begin(key, target, 1).catch(() => {})
    return Promise.resolve(before.value)
  }

  /** It is to be loaded again, once however many ask, and used on until then. */
  protected expire(target: Target): void {
    const entry = this.#found.peek(this.#options.keyOf(target))
    if (entry !== undefined) entry.isOutdated = true
  }

  protected outdate(change: Invalidation): void {
    if (change.names === null) for (const [key] of this.#found.entries()) this.#outdateKey(key, change.forget)
    else {
      for (const name of change.names) {
        for (const key of this.#index.keysOf(name)) this.#outdateKey(key, change.forget)
      }
    }
    if (change.mayCreate) for (const [key] of this.#absent.entries()) this.#absent.delete(key)
    this.#recent.add(change)
    // Until a load ends nobody knows what it finds, so none that began before a change is shared after it.
    this.#shared.clear()
  }

  #outdateKey(key: string, forget: boolean): void {
    // A change that takes away brings nothing to where there was nothing.
    if (forget) this.#found.delete(key)
    else this.#absent.delete(key)
    const entry = this.#found.peek(key)
    if (entry === undefined) return
    entry.isOutdated = true
    entry.retryAt = 0
    entry.isUnanswered = false
  }

  #begin(key: string, target: Target, tries: number): Promise<Value | null> {
    const mark = this.#recent.mark
    const loading = this.#options.load(target)
    const flight: Promise<Value | null> = withTimeout(loading, this.#patienceMs).then(
      (value) => {
        this.#end(key, flight)
        return this.#receive(key, target, value, { mark, tries })
      },
      (error: unknown) => {
        this.#end(key, flight)
        if (error instanceof TimeoutError) {
          loading.then((value) => this.#receiveLate(key, target, value, mark)).catch(() => {})
        }
        return this.#asBefore(key, error)
      },
    )
    this.#shared.set(key, flight)
    return flight
  }

  #end(key: string, flight: Promise<Value | null>): void {
    if (this.#shared.get(key) === flight) this.#shared.delete(key)
  }

  /** What a change overtook is good for those who asked before it, unless it was forbidden meanwhile. */
  #receive(
    key: string,
    target: Target,
    value: Value | null,
    { mark, tries }: { mark: number; tries: number },
  ): Value | null | Promise<Value | null> {
    const overtaking = this.#keepUnlessChanged(key, target, value, mark)
    if (value === null || !overtaking.some(({ forget }) => forget)) return value
    if (tries < mostTries) return this.#shared.get(key) ?? this.#begin(key, target, tries + 1)
    return this.#asBefore(key, new Error(`${key} changes faster than it can be loaded`))
  }

  /** Nobody waits for it any more. It is good for the next who asks, unless something newer came meanwhile. */
  #receiveLate(key: string, target: Target, value: Value | null, mark: number): void {
    const isKnown = this.isFresh(target) || this.#absent.peek(key) !== undefined
    if (!isKnown) this.#keepUnlessChanged(key, target, value, mark)
  }

  /** Gives the changes since it was asked for that concern it. */
  #keepUnlessChanged(key: string, target: Target, value: Value | null, mark: number): Invalidation[] {
    const names = this.#options.namesOf(target, value)
    const changes = this.#recent.since(mark) ?? [invalidateEverything]
    const overtaking = changes.filter((change) => concerns(change, [key, ...names], value === null))
    if (overtaking.length === 0) this.#keep(key, target, value, names)
    return overtaking
  }

  #asBefore(key: string, error: unknown): Value {
    const before = this.#found.get(key)
    if (before === undefined) throw error
    before.retryAt = this.#now() + this.#retryAfterMs
    before.isUnanswered = error instanceof TimeoutError
    this.#options.onOutdated?.(before.target, error)
    return before.value
  }

  #keep(key: string, target: Target, value: Value | null, names: readonly string[]): void {
    this.#found.delete(key)
    this.#absent.delete(key)
    this.#index.add(key, names)
    if (value === null) this.#absent.set(key, { names }, 1)
    else {
      const entry = { target, value, names, isOutdated: false, retryAt: 0, isUnanswered: false }
      this.#found.set(key, entry, this.#options.weightOf(value))
    }
  }
}

function concerns(change: Invalidation, names: readonly string[], isAbsent: boolean): boolean {
  if (change.names === null || (isAbsent && change.mayCreate)) return true
  if (isAbsent && change.forget) return false
  return change.names.some((name) => names.includes(name))
}
