import type { Change } from '../../events/change-feed.ts'

/** What changed, as far as it is known; nothing named means that anything may have. */
export interface SiteChange {
  projectId?: string
  slug?: string
  deploymentId?: string
  hostname?: string
  /** What is named must not be served from memory any more, whatever happens to the database next. */
  stopped?: boolean
}

export function isAboutEverything({ projectId, slug, deploymentId, hostname }: SiteChange): boolean {
  return (projectId ?? slug ?? deploymentId ?? hostname) === undefined
}

/**
 * What a notice of the change feed means to the edge; null: nothing. Among notices that were lost a domain or a
 * site may have been stopped.
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
    // What is shown at a name does not depend on its certificate.
    case 'certificate':
    case 'certificate_due':
    case 'account':
      return null
  }
}

/** What a notice means to who knows the certificates of names; null: nothing. */
export function certificateChangeOf(change: Change | null): SiteChange | null {
  if (change?.kind === 'certificate' || change?.kind === 'certificate_due')
    return { hostname: change.subject }
  return siteChangeOf(change)
}
