import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import type { HtmlHandling } from '@masthead/contract/project-settings.ts'
import type { SiteProtection } from '../protection/protection.ts'

/** What a host of the platform shows: the live deployment of a project, or a preview of one deployment or branch. */
export type SiteTarget =
  | { kind: 'project'; slug: string }
  /** `deployment` is the deployment's id without its `dpl_` prefix, or the label of a branch: no label looks like an id. */
  | { kind: 'preview'; slug: string; deployment: string }
  /** What a custom domain shows that follows a branch, by the name of the branch. */
  | { kind: 'branch'; slug: string; branch: string }

export interface StrictTransport {
  /** HSTS max-age in seconds; null or omitted: no HSTS. */
  hstsMaxAge?: number | null
}

/** A redirect to another host. Keeps path and query. */
export interface HostRedirect extends StrictTransport {
  to: string
  status: 301 | 302 | 307 | 308
  /** Whether it has a certificate; omitted: yes. */
  https?: boolean
}

/**
 * What a custom domain shows: its project, or a redirect to another host of it. `secured`: whether the domain has a
 * certificate; omitted: yes. `wildcard`: the domain that covers the name; omitted: the name is a domain of its own.
 */
export type DomainRoute = {
  slug: string
  secured?: boolean
  /** False if its DNS leads elsewhere; omitted: true. */
  pointsHere?: boolean
  wildcard?: string
  /** The CDN that the domain is marked as being behind; omitted: none. */
  proxy?: ProxyProvider
} /** `branch`: the one that it follows; omitted: what is live. */ & (
  | { kind: 'site'; branch?: string }
  | ({ kind: 'redirect' } & HostRedirect)
)

/** What visitors get instead of a site. A null reason is not shown. */
export interface SiteBlock {
  status: 403 | 451 | 503
  reason: string | null
}

/** What the edge needs to serve a project. */
export interface SiteRecord extends StrictTransport {
  projectId: string
  accountId: string
  slug: string
  /** The deployment to serve; null while nothing is published. */
  deploymentId: string | null
  htmlHandling: HtmlHandling
  singlePage: boolean
  /** Whether browsers keep fingerprinted files for a year; omitted: yes. */
  immutableAssets?: boolean
  /** In seconds; omitted: 0. */
  staleWhileRevalidate?: number
  /** Set if it stands for a branch that has no deployment. */
  emptyBranch?: string
  /** Redirects the default subdomain only, not previews or custom domains. */
  redirect: HostRedirect | null
  /** Set while visitors need a password. */
  protection?: SiteProtection | null
  /** Set while the site is taken down or its account suspended. */
  blocked?: SiteBlock | null
}
