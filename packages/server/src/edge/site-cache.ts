import type { SiteTarget } from '../projects/site.ts'
import { BoundedCache } from './bounded-cache.ts'
import { labelOf } from './host.ts'
import type { Site } from './site.ts'

/** What changed, as far as it is known; nothing known means that anything may have. */
export interface SiteChange {
  projectId?: string
  slug?: string
  deploymentId?: string
}

export interface SiteCacheOptions {
  load: (target: SiteTarget) => Promise<Site | null>
  /** Told when a site could not be loaded anew and is shown as it was. */
  onOutdated?: (target: SiteTarget, error: unknown) => void
  /** Sites weigh as much as they have files. */
  maxFiles?: number
  maxUnknown?: number
  /** How long an outdated site is shown after a failed load before the next attempt. */
  retryAfterMs?: number
  now?: () => number
}

interface Entry {
  readonly target: SiteTarget
  readonly site: Site | null
  outdated: boolean
  retryAt: number
}

interface Flight {
  readonly result: Promise<Site | null>
  readonly changesSince: SiteChange[]
}

/**
 * Which site a host shows, kept until the change feed says otherwise, hosts without a site included. When a site
 * has changed and cannot be loaded anew, the one from before goes on being shown.
 */
export class SiteCache {
  readonly #load: (target: SiteTarget) => Promise<Site | null>
  readonly #onOutdated: (target: SiteTarget, error: unknown) => void
  readonly #retryAfterMs: number
  readonly #now: () => number
  readonly #sites: BoundedCache<Entry>
  readonly #unknown: BoundedCache<Entry>
  readonly #flights = new Set<Flight>()
  readonly #shared = new Map<string, Flight>()

  constructor({
    load,
    onOutdated = () => {},
    maxFiles = 200_000,
    maxUnknown = 10_000,
    retryAfterMs = 1000,
    now = Date.now,
  }: SiteCacheOptions) {
    this.#load = load
    this.#onOutdated = onOutdated
    this.#retryAfterMs = retryAfterMs
    this.#now = now
    this.#sites = new BoundedCache(maxFiles)
    this.#unknown = new BoundedCache(maxUnknown)
  }

  /** Without waiting: the site, null where there is none, undefined where it must be loaded first. */
  get(target: SiteTarget): Site | null | undefined {
    const key = labelOf(target)
    const entry = this.#sites.get(key) ?? this.#unknown.get(key)
    if (entry === undefined) return undefined
    return entry.outdated && this.#now() >= entry.retryAt ? undefined : entry.site
  }

  /** Those who ask while the first load is under way share it, unless something changed since it began. */
  load(target: SiteTarget): Promise<Site | null> {
    const key = labelOf(target)
    const flight = this.#shared.get(key) ?? this.#begin(key, target)
    return flight.result
  }

  changed(change: SiteChange): void {
    for (const cache of [this.#sites, this.#unknown]) {
      for (const [, entry] of cache.entries()) {
        if (!concerns(change, entry.target, entry.site)) continue
        entry.outdated = true
        entry.retryAt = 0
      }
    }
    for (const flight of this.#flights) flight.changesSince.push(change)
    // Until a load ends nobody knows whose project it finds, so none that began before a change is shared after it.
    this.#shared.clear()
  }

  #begin(key: string, target: SiteTarget): Flight {
    const changesSince: SiteChange[] = []
    const result = this.#load(target).then(
      (site) => {
        this.#end(key, flight)
        const overtaken = changesSince.some((change) => concerns(change, target, site))
        if (!overtaken) this.#keep(key, { target, site, outdated: false, retryAt: 0 })
        return site
      },
      (error: unknown) => {
        this.#end(key, flight)
        return this.#asBefore(key, error)
      },
    )
    const flight: Flight = { result, changesSince }
    this.#flights.add(flight)
    this.#shared.set(key, flight)
    return flight
  }

  #asBefore(key: string, error: unknown): Site | null {
    const before = this.#sites.get(key)
    if (before === undefined) throw error
    before.retryAt = this.#now() + this.#retryAfterMs
    this.#onOutdated(before.target, error)
    return before.site
  }

  #end(key: string, flight: Flight): void {
    this.#flights.delete(flight)
    if (this.#shared.get(key) === flight) this.#shared.delete(key)
  }

  #keep(key: string, entry: Entry): void {
    this.#sites.delete(key)
    this.#unknown.delete(key)
    if (entry.site === null) this.#unknown.set(key, entry, 1)
    else this.#sites.set(key, entry, 1 + entry.site.manifest.size)
  }
}

function concerns(
  { projectId, slug, deploymentId }: SiteChange,
  target: SiteTarget,
  site: Site | null,
): boolean {
  if (slug === target.slug) return true
  if (target.kind === 'preview' && deploymentId === `dpl_${target.deployment}`) return true
  // A change that names no slug may be about any host that shows nothing yet.
  if (site === null) return slug === undefined
  if (projectId === undefined && slug === undefined && deploymentId === undefined) return true
  return (
    projectId === site.record.projectId ||
    (deploymentId !== undefined && deploymentId === site.record.deploymentId)
  )
}
