import type { Id } from '@masthead/contract/ids.ts'
import { noteAccountChange } from '../events/account-changes.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import { lockProject } from '../projects/lock-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { deleteDeployments, findDeployment } from './store.ts'

export interface DeleteInput {
  project: ProjectRow
  deploymentId: Id<'deployment'>
  by: EventActor
}

/** Cancels an upload, or deletes a deployment that is not being served. The next sweep removes its files. */
export async function deleteDeployment(
  { database, changes, now }: ProjectContext,
  { project, deploymentId, by }: DeleteInput,
): Promise<void> {
  await database.write(async (tx) => {
    const current = await lockProject(database, tx, project.id)
    const deployment = await findDeployment(tx, deploymentId)
    if (current === undefined || deployment?.project_id !== current.id) {
      throw new Problem('not_found', `The project ${project.slug} has no deployment ${deploymentId}.`)
    }
    if (current.active_deployment_id === deploymentId) {
      throw new Problem('deployment_active', `${current.slug} serves the deployment ${deploymentId}.`)
    }
    await deleteDeployments(tx, [deploymentId])
    noteAccountChange(tx, current.account_id)
    if (deployment.state === 'uploading') return
    await changes.record(tx, { kind: 'project', subject: current.slug })
    const event = { accountId: current.account_id, projectId: current.id, by, at: now() }
    await recordEvent(tx, { ...event, type: 'deployment.deleted', data: { deploymentId } })
  })
}
