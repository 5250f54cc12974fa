import { wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import type { DomainRoute, SiteTarget } from '../../projects/site.ts'
import type { Site } from '../assets/site.ts'
import { LoadedCache, type LoadOptions } from '../cache/loaded-cache.ts'
import { labelOf } from './host.ts'
import { invalidationOf, type SiteChange } from './site-change.ts'

export interface SiteCacheOptions extends LoadOptions<SiteTarget, Site> {
  /** Of all sites together, in memory, without what is kept of their answers. */
  maxBytes?: number | undefined
  maxUnknown?: number
}

/** The site of each label under the platform domain, including labels without one. */
export class SiteCache extends LoadedCache<SiteTarget, Site> {
  constructor({ maxBytes = Number.POSITIVE_INFINITY, maxUnknown = 10_000, ...loading }: SiteCacheOptions) {
    super({
      ...loading,
      keyOf: labelOf,
      namesOf,
      weightOf: (site) => site.weight,
      maxWeight: maxBytes,
      maxAbsent: maxUnknown,
    })
  }

  changed(change: SiteChange): void {
    const invalidation = invalidationOf(change, ['slug', 'projectId', 'deploymentId'])
    // Without a slug, the change may be about any label that has no site yet.
    if (invalidation !== null) this.invalidate({ ...invalidation, mayCreate: change.slug === undefined })
  }
}

/** Slugs and ids never collide: ids have an underscore. A project's label is its slug. */
function namesOf(target: SiteTarget, site: Site | null): string[] {
  const names = target.kind === 'project' ? [] : [target.slug]
  if (target.kind === 'preview') names.push(`dpl_${target.deployment}`)
  if (site === null) return names
  const { projectId, deploymentId } = site.record
  return deploymentId === null ? [...names, projectId] : [...names, projectId, deploymentId]
}

export interface DomainRouteCacheOptions extends LoadOptions<string, DomainRoute> {
  maxRoutes?: number
  /** Anyone can visit any number of names below a wildcard, so each has its share of the cache. */
  maxPerWildcard?: number
  maxUnknown?: number
}

/**
 * Where custom domains lead, including unknown ones. A route refers to its project by slug, so a project with a hundred
 * domains is cached once, and a change to the project also reaches its redirects.
 */
export class DomainRouteCache extends LoadedCache<string, DomainRoute> {
  constructor({
    maxRoutes = 100_000,
    maxUnknown = 10_000,
    maxPerWildcard = 1_000,
    ...loading
  }: DomainRouteCacheOptions) {
    super({
      ...loading,
      keyOf: (hostname) => hostname,
      namesOf: namesOfRoute,
      groupOf: (route) => route.wildcard ?? null,
      maxPerGroup: maxPerWildcard,
      weightOf: () => 1,
      maxWeight: maxRoutes,
      maxAbsent: maxUnknown,
    })
  }

  changed(change: SiteChange): void {
    const invalidation = invalidationOf(change, ['slug', 'hostname'])
    if (invalidation !== null) this.invalidate(invalidation)
  }
}

/** A name that has no route of its own depends on the wildcard over it, which may come and go. */
function namesOfRoute(hostname: string, route: DomainRoute | null): string[] {
  const wildcard = route === null ? wildcardOver(hostname) : (route.wildcard ?? null)
  return [...(route === null ? [] : [route.slug]), ...(wildcard === null ? [] : [wildcard])]
}
