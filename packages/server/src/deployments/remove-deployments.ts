import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import { deleteProjectIn, lockProject } from '../projects/change-project.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { describeInEvent } from './deployment.ts'
import { surplusDeployments } from './retention.ts'
import {
  deleteDeployments,
  deploymentIdsOf,
  findDeployment,
  followedBranches,
  readyDeployments,
} from './store.ts'

/** Removes ready deployments that are not kept. */
export async function deleteOldDeploymentsIn(
  { database, changes, now }: ProjectContext,
  tx: Tx,
  project: Pick<ProjectRow, 'id'>,
): Promise<void> {
  const current = await lockProject(database, tx, project.id)
  if (current === undefined) return
  const followed = await followedBranches(tx, project.id)
  const surplus = surplusDeployments(await readyDeployments(tx, project.id), { ...current, followed }, now())
  if (surplus.length === 0) return
  await deleteDeployments(tx, surplus)
  await changes.record(tx, { kind: 'project', subject: current.slug })
}

export interface DeleteInput {
  project: ProjectRow
  deploymentId: Id<'deployment'>
  by: EventActor
}

/** Cancels an upload, or deletes a deployment that is not live. The next sweep removes its files. */
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
      throw new Problem('deployment_active', `The deployment ${deploymentId} is live.`)
    }
    await deleteDeployments(tx, [deploymentId])
    if (deployment.state === 'uploading') return
    await changes.record(tx, { kind: 'project', subject: current.slug })
    const event = { accountId: current.account_id, projectId: current.id, by, at: now() }
    await recordEvent(tx, { ...event, type: 'deployment.deleted', data: describeInEvent(deployment) })
  })
}

/**
 * Deletes a project with all its deployments, and returns their ids. The caller first removes everything else that
 * belongs to it. The next sweep removes its files.
 */
export async function removeProjectIn(
  context: ProjectContext,
  tx: Tx,
  { project, by, at }: { project: ProjectRow; by: EventActor; at: number },
): Promise<Id<'deployment'>[]> {
  const current = await lockProject(context.database, tx, project.id)
  if (current === undefined) throw new Problem('not_found', `There is no project ${project.slug}.`)
  const deployments = await deploymentIdsOf(tx, project.id)
  await deleteDeployments(tx, deployments)
  const event = { accountId: project.account_id, projectId: project.id, by, at }
  await recordEvent(tx, { ...event, type: 'project.deleted', data: { slug: current.slug } })
  await deleteProjectIn(context, tx, current)
  return deployments
}
