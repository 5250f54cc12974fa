import type { UploadLimits } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Addresses } from '../config/addresses.ts'
import { isoTime, isoTimeOrNull } from '../kernel/clock.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import type { DeploymentRow } from './store.ts'

export interface DeploymentContext extends ProjectContext {
  blobs: BlobStore
  limits: UploadLimits
  /** For archives that can only be read once complete. */
  spoolFolder: string
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
