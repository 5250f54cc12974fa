import { firstLine, type UploadLimits } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { DeploymentMeta } from '@masthead/contract/schemas/deployment-meta.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Addresses } from '../config/addresses.ts'
import { isoTime, isoTimeOrNull } from '../kernel/clock.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { labelFits } from './branch-label.ts'
import type { DeploysUnderWay } from './deploys-under-way.ts'
import type { DeploymentRow } from './store.ts'

export interface DeploymentContext extends ProjectContext {
  blobs: BlobStore
  limits: UploadLimits
  deploys: DeploysUnderWay
  /** Whether rules may depend on where visitors are. */
  knowsCountries?: boolean
  /** What all sites share, for checks of their rules. */
  platformDomain?: string
  /** For archives that can only be read once complete. */
  spoolFolder: string
  /**
   * How long an upload waits while unused copies of its files are removed, and the sweep for the manifest of
   * a new one, in milliseconds. Tests wait less.
   */
  removalWait?: number
}

export function toDeployment(
  row: DeploymentRow,
  project: Pick<ProjectRow, 'slug' | 'active_deployment_id'>,
  addresses: Addresses,
): Deployment {
  return {
    id: row.id,
    projectId: row.project_id,
    state: row.state,
    active: project.active_deployment_id === row.id,
    url: addresses.preview(row.id, project.slug),
    branchUrl: branchUrlOf(row, project.slug, addresses),
    meta: row.meta === null ? {} : JSON.parse(row.meta),
    files: row.files,
    bytes: row.bytes,
    createdBy: row.created_by,
    createdAt: isoTime(row.created_at),
    readyAt: isoTimeOrNull(row.ready_at),
    activatedAt: isoTimeOrNull(row.activated_at),
    leftOut: row.left_out === null ? { files: 0, paths: [] } : JSON.parse(row.left_out),
    diagnostics: row.diagnostics === null ? [] : JSON.parse(row.diagnostics),
  }
}

/** Deployments that name no branch are for production too. */
export function isOfProduction(
  { branch }: Pick<DeploymentRow, 'branch'>,
  { production_branch }: Pick<ProjectRow, 'production_branch'>,
): boolean {
  return branch === null || branch === production_branch
}

/**
 * Whether a deployment that becomes ready goes live: as asked when finalizing, else as asked when it was created, else
 * as its branch says.
 */
export function goesLive(
  asked: boolean | undefined,
  deployment: Pick<DeploymentRow, 'activate' | 'branch'>,
  project: Pick<ProjectRow, 'production_branch'>,
): boolean {
  if (asked !== undefined) return asked
  return deployment.activate === null ? isOfProduction(deployment, project) : deployment.activate === 1
}

/** Kept in the event, because the deployment may be gone when the activity is read. */
export function describeInEvent({ id, meta }: Pick<DeploymentRow, 'id' | 'meta'>): Record<string, unknown> {
  const { message, commit, branch }: DeploymentMeta = meta === null ? {} : JSON.parse(meta)
  return { deploymentId: id, ...(message && { message: firstLine(message) }), commit, branch }
}

function branchUrlOf(
  { branch_label: label }: DeploymentRow,
  slug: string,
  addresses: Addresses,
): string | null {
  return label !== null && labelFits(label, slug) ? addresses.branch(label, slug) : null
}
