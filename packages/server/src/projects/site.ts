import type { HtmlHandling } from '@masthead/contract/project-settings.ts'

/** What a host under the platform domain asks for: a project as it is live, or one deployment of it. */
export type SiteTarget =
  | { kind: 'project'; slug: string }
  /** `deployment` is the deployment's id without its `dpl_` prefix. */
  | { kind: 'preview'; slug: string; deployment: string }

export interface StrictTransport {
  /** Seconds for which browsers are to come by HTTPS alone; null or left out: they are told nothing. */
  hstsMaxAge?: number | null
}

/** A host that leads to another host, with path and query kept. */
export interface HostRedirect extends StrictTransport {
  to: string
  status: 301 | 302 | 307 | 308
  /** Whether there is a certificate for it; left out: yes. */
  https?: boolean
}

/**
 * What a custom domain leads to: its project as it is live, or another host of the project. `secured`: whether there
 * is a certificate for the domain itself; left out: yes.
 */
export type DomainRoute = { slug: string; secured?: boolean } & (
  | { kind: 'site' }
  | ({ kind: 'redirect' } & HostRedirect)
)

/** What visitors get instead of a site, and why; a reason of null is not told. */
export interface SiteBlock {
  status: 403 | 451 | 503
  reason: string | null
}

/** What the edge needs to know of a project in order to serve it. */
export interface SiteRecord extends StrictTransport {
  projectId: string
  accountId: string
  slug: string
  /** The deployment to serve; null while nothing is published. */
  deploymentId: string | null
  htmlHandling: HtmlHandling
  singlePage: boolean
  /** Where the default subdomain leads instead of showing the project. Previews and custom domains stay. */
  redirect: HostRedirect | null
  /** Set while the site was taken down, or its account is suspended. */
  blocked?: SiteBlock | null
}
