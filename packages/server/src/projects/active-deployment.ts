import type { Id } from '@masthead/contract/ids.ts'
import type { Tx } from '../database/database.ts'
import { updateProject } from './store.ts'

/** The whole switch from one deployment to another: one column of one row. */
export async function setActiveDeployment(
  tx: Tx,
  projectId: Id<'project'>,
  deploymentId: Id<'deployment'>,
  at: number,
): Promise<void> {
  await updateProject(tx, projectId, { active_deployment_id: deploymentId, updated_at: at })
}
