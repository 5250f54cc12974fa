import type { HtmlHandling } from '@masthead/contract/project-settings.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'

/** Projects with their settings. */
export interface ProjectTables {
  projects: {
    id: Id<'project'>
    account_id: Id<'account'>
    slug: string
    name: string
    html_handling: HtmlHandling
    single_page: number
    strict_transport: number
    immutable_assets: number
    /** In seconds; 0: never. */
    stale_while_revalidate: number
    /** A StoredProtection as JSON; null: none. */
    protection: string | null
    production_branch: string
    active_deployment_id: Id<'deployment'> | null
    created_at: number
    updated_at: number
    /** Set while taken down: visitors get this status and the reason. */
    takedown_at: number | null
    takedown_reason: string | null
    takedown_status: 403 | 451 | null
  }
  /** Slugs of renamed or deleted projects: for a while only their account can reuse them. */
  released_slugs: { slug: string; account_id: Id<'account'>; released_at: number }
  /** Each ticket lets a visitor in once. */
  used_tickets: { id: string; expires_at: number }
}
