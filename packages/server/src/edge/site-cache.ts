import type { SiteTarget } from '../projects/site.ts'
import { labelOf } from './host.ts'
import { LoadedCache, type Loading } from './loaded-cache.ts'
import type { Site } from './site.ts'
import { isAboutEverything, type SiteChange } from './site-change.ts'

export interface SiteCacheOptions extends Loading<SiteTarget, Site> {
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
