import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project, Takedown } from '@masthead/contract/schemas/project.ts'
import type { Addresses } from '../config/addresses.ts'
import { isoTime } from '../kernel/clock.ts'
import { toProtection } from '../protection/protection.ts'
import type { ProjectRow } from './store.ts'

export type { ProjectRow } from './store.ts'

export interface ProjectFacts {
  activeDeployment: Deployment | null
  /** Null for the default subdomain. */
  primaryUrl: string | null
  /** When another account stopped using the slug. */
  slugUsedUntil?: number | undefined
}

export function toProject(
  row: ProjectRow,
  { activeDeployment, primaryUrl, slugUsedUntil }: ProjectFacts,
  addresses: Addresses,
): Project {
  const url = addresses.project(row.slug)
  return {
    id: row.id,
    accountId: row.account_id,
    slug: row.slug,
    name: row.name,
    url,
    primaryUrl: primaryUrl ?? url,
    htmlHandling: row.html_handling,
    singlePage: row.single_page === 1,
    strictTransportSecurity: row.strict_transport === 1,
    immutableAssets: row.immutable_assets === 1,
    staleWhileRevalidate: row.stale_while_revalidate,
    protection: toProtection(row.protection),
    productionBranch: row.production_branch,
    activeDeployment,
    takedown: takedownOf(row),
    ...(slugUsedUntil !== undefined && { slugUsedUntil: isoTime(slugUsedUntil) }),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  }
}

export function takedownOf(
  row: Pick<ProjectRow, 'takedown_at' | 'takedown_reason' | 'takedown_status'>,
): Takedown | null {
  if (row.takedown_at === null) return null
  return {
    since: isoTime(row.takedown_at),
    reason: row.takedown_reason ?? '',
    status: row.takedown_status ?? 451,
  }
}
