import type { Change } from '../../events/change-feed.ts'
import type { Invalidation } from '../cache/invalidation.ts'

/** What changed. If nothing is named, anything may have. */
export interface SiteChange {
  projectId?: string
  slug?: string
  deploymentId?: string
  hostname?: string
  /** What is named must not be served from memory any more, even if the database is unavailable. */
  stopped?: boolean
}

function isAboutEverything({ projectId, slug, deploymentId, hostname }: SiteChange): boolean {
  return (projectId ?? slug ?? deploymentId ?? hostname) === undefined
}

/**
 * What a change invalidates in a cache whose values go by these kinds of names; null if nothing. The kinds never collide:
 * ids have an underscore, hostnames a dot, slugs neither.
 */
export function invalidationOf(
  change: SiteChange,
  kinds: readonly Exclude<keyof SiteChange, 'stopped'>[],
): Invalidation | null {
  const forget = change.stopped ?? false
  if (isAboutEverything(change)) return { names: null, mayCreate: true, forget }
  const names = kinds.map((kind) => change[kind]).filter((name) => name !== undefined)
  return names.length === 0 ? null : { names, mayCreate: false, forget }
}

/**
 * What a notice of the change feed means for sites; null if nothing. A null notice means that some were lost: any domain
 * or site may have been stopped.
 */
export function siteChangeOf(change: Change | null): SiteChange | null {
  if (change === null) return { stopped: true }
  const { subject } = change
  switch (change.kind) {
    case 'project':
      return { slug: subject }
    case 'project_stopped':
      return { slug: subject, stopped: true }
    case 'domain':
      return { hostname: subject }
    case 'domain_stopped':
      return { hostname: subject, stopped: true }
    // A site does not depend on its certificate.
    case 'certificate':
    case 'certificate_due':
    case 'account':
    case 'access':
      return null
  }
}

/** What a notice means for certificates; null if nothing. */
export function certificateChangeOf(change: Change | null): SiteChange | null {
  if (change?.kind === 'certificate' || change?.kind === 'certificate_due')
    return { hostname: change.subject }
  return siteChangeOf(change)
}
