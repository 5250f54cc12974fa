import type { DomainRoute, SiteTarget } from '../../projects/site.ts'
import type { Site } from '../assets/site.ts'
import { LoadedCache, type LoadOptions } from '../cache/loaded-cache.ts'
import { labelOf } from './host.ts'
import { isAboutEverything, type SiteChange } from './site-change.ts'

export interface SiteCacheOptions extends LoadOptions<SiteTarget, Site> {
  /** Sites weigh as much as they have files. */
  maxFiles?: number
  maxUnknown?: number
}

/** Which site a label under the platform domain shows, labels without a site included. */
export class SiteCache extends LoadedCache<SiteTarget, Site> {
  constructor({ maxFiles = 200_000, maxUnknown = 10_000, ...loading }: SiteCacheOptions) {
    super({
      ...loading,
      keyOf: labelOf,
      namesOf,
      weightOf: (site) => 1 + site.manifest.size,
      maxWeight: maxFiles,
      maxAbsent: maxUnknown,
    })
  }

  changed(change: SiteChange): void {
    const { slug, projectId, deploymentId, stopped = false } = change
    const names = [slug, projectId, deploymentId].filter((name) => name !== undefined)
    if (isAboutEverything(change)) this.outdate({ names: null, mayCreate: true, forget: stopped })
    // A change that names no slug may be about any label that shows nothing yet.
    else if (names.length > 0) this.outdate({ names, mayCreate: slug === undefined, forget: stopped })
  }
}

/** Slugs and ids are never alike: ids have an underscore. The label of a project is its slug. */
function namesOf(target: SiteTarget, site: Site | null): string[] {
  const names = target.kind === 'preview' ? [target.slug, `dpl_${target.deployment}`] : []
  if (site === null) return names
  const { projectId, deploymentId } = site.record
  return deploymentId === null ? [...names, projectId] : [...names, projectId, deploymentId]
}

export interface DomainRouteCacheOptions extends LoadOptions<string, DomainRoute> {
  maxRoutes?: number
  maxUnknown?: number
}

/**
 * Where custom domains lead, names that nobody has included. A route names its project by the slug, so that a project
 * with a hundred domains is held once, and what changes about the project reaches its redirects too.
 */
export class DomainRouteCache extends LoadedCache<string, DomainRoute> {
  constructor({ maxRoutes = 100_000, maxUnknown = 10_000, ...loading }: DomainRouteCacheOptions) {
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
