import type { Change } from '../events/change-feed.ts'

/** What changed, as far as it is known; nothing named means that anything may have. */
export interface SiteChange {
  projectId?: string
  slug?: string
  deploymentId?: string
  hostname?: string
  /** Custom domains must not be served from memory any more, whatever happens to the database next. */
  stopped?: boolean
}

export function isAboutEverything({ projectId, slug, deploymentId, hostname }: SiteChange): boolean {
  return (projectId ?? slug ?? deploymentId ?? hostname) === undefined
}

/**
 * What a notice of the change feed means to the edge; null: nothing. Among notices that were lost a domain may have
 * been stopped.
 */
export function siteChangeOf(change: Change | null): SiteChange | null {
  if (change === null) return { stopped: true }
  const { subject } = change
  switch (change.kind) {
    case 'project':
      return { slug: subject }
    case 'domain':
    // Sites do not depend on certificates; to look at one again costs little.
    case 'certificate':
    case 'certificate_due':
      return { hostname: subject }
    case 'domain_stopped':
      return { hostname: subject, stopped: true }
    case 'account':
      return null
  }
}
