import { type Database, lock, type Tx } from '../database/database.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { lockProject } from '../projects/change-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import type { DeploymentContext } from './deployment.ts'
import type { FilesDescription } from './describe-files.ts'
import {
  type DeploymentRow,
  deleteDeployments,
  findDeployment,
  insertDeployment,
  recordDiscarded,
} from './store.ts'

/** Held by uploads to an account and by the sweep of its unused files. */
export function uploadsLock(accountId: string): string {
  return `uploads:${accountId}`
}

export interface BeginInput extends FilesDescription, Pick<DeploymentRow, 'reserved_bytes'> {
  project: ProjectRow
  createdBy: string
}

/** Creates a deployment in state `uploading`. While an account has one, its unused files are not swept. */
export async function beginDeployment(
  { database, now }: DeploymentContext,
  tx: Tx,
  { project, createdBy, ...files }: BeginInput,
): Promise<DeploymentRow> {
  await lock(database, tx, uploadsLock(project.account_id))
  if ((await lockProject(database, tx, project.id)) === undefined) {
    throw new Problem('not_found', `The project ${project.slug} was deleted.`)
  }
  const at = now()
  const row: DeploymentRow = {
    id: newId('deployment', at),
    account_id: project.account_id,
    project_id: project.id,
    state: 'uploading',
    ...files,
    created_by: createdBy,
    created_at: at,
    ready_at: null,
    activated_at: null,
    encoded_at: null,
    quick_encoded_at: null,
    encode_failures: 0,
    encode_due_at: 0,
    encode_lease_until: 0,
  }
  await insertDeployment(tx, row)
  return row
}

/**
 * Ends a failed upload and leaves its files to the sweep, even if the deployment was removed in the meantime. A
 * deployment that became ready after all (we lost the result of the commit) is kept.
 */
export async function abandonUpload(
  database: Database,
  deployment: Pick<DeploymentRow, 'id' | 'account_id' | 'manifest_bytes'>,
): Promise<void> {
  await database.write(async (tx) => {
    const current = await findDeployment(tx, deployment.id)
    if (current?.state === 'ready') return
    await deleteDeployments(tx, [deployment.id])
    await recordDiscarded(tx, [deployment])
  })
}
