import type { DomainRoute } from '../projects/site.ts'
import { LoadedCache, type Loading } from './loaded-cache.ts'
import { isAboutEverything, type SiteChange } from './site-change.ts'

export interface DomainRoutesOptions extends Loading<string, DomainRoute> {
  maxRoutes?: number
  maxUnknown?: number
}

/**
 * Where custom domains lead, names that nobody has included. A route names its project by the slug, so that a project
 * with a hundred domains is held once, and what changes about the project reaches its redirects too.
 */
export class DomainRoutes extends LoadedCache<string, DomainRoute> {
  constructor({ maxRoutes = 100_000, maxUnknown = 10_000, ...loading }: DomainRoutesOptions) {
    super({
      ...loading,
      keyOf: (hostname) => hostname,
      namesOf: (_hostname, route) => (route === null ? [] : [route.slug]),
      weightOf: () => 1,
      maxWeight: maxRoutes,
      maxAbsent: maxUnknown,
    })
  }

  changed(change: SiteChange): void {
    const { slug, hostname, stopped = false } = change
    // A slug has no dot, a hostname has one.
    const names = [slug, hostname].filter((name) => name !== undefined)
    if (isAboutEverything(change)) this.outdate({ names: null, mayCreate: true, forget: stopped })
    else if (names.length > 0) this.outdate({ names, mayCreate: false, forget: stopped })
  }
}
