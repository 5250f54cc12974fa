import type { HtmlHandling } from '@masthead/contract/html-handling.ts'

/** What a host under the platform domain asks for: a project as it is live, or one deployment of it. */
export type SiteTarget =
  | { kind: 'project'; slug: string }
  /** `deployment` is the deployment's id without its `dpl_` prefix. */
  | { kind: 'preview'; slug: string; deployment: string }

/** What the edge needs to know of a project in order to serve it. */
export interface SiteRecord {
  projectId: string
  accountId: string
  slug: string
  /** The deployment to serve; null while nothing is published. */
  deploymentId: string | null
  htmlHandling: HtmlHandling
  singlePage: boolean
}
