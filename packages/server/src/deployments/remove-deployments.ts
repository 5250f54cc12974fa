import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import { deleteProjectIn, finishDeletionIn, lockProject } from '../projects/change-project.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { describeInEvent } from './deployment.ts'
import { surplusDeployments } from './retention.ts'
import {
  deleteDeployments,
  deleteSomeDeployments,
  findDeployment,
  followedBranches,
  readyDeployments,
} from './store.ts'

/**
 * Removes ready deployments that are not kept. `latest` stays, the one that has just become ready: it is old by its id
 * if its upload took longer than those of ten others, and whoever publishes it still wants to look at it.
 */
export async function deleteOldDeploymentsIn(
  { database, changes, now }: ProjectContext,
  tx: Tx,
  project: Pick<ProjectRow, 'id'>,
  latest: Id<'deployment'>,
): Promise<void> {
  const current = await lockProject(database, tx, project.id)
  if (current === undefined) return
  const followed = await followedBranches(tx, project.id)
  const ready = await readyDeployments(tx, project.id)
  const surplus = surplusDeployments(ready, { ...current, followed }, now()).filter((id) => id !== latest)
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

export interface RemovedProject {
  /** Ready deployments that it had. */
  ready: Id<'deployment'>[]
  /** False: the project is only hidden, and `removeRemainsIn` has to remove the rest. */
  isGone: boolean
}

/**
 * Deletes a project with its deployments. The caller first removes everything else that belongs to it, or says that
 * there is more. The next sweep removes its files.
 */
export async function removeProjectIn(
  context: ProjectContext,
  tx: Tx,
  {
    project,
    by,
    at,
    hasMore = false,
  }: { project: ProjectRow; by: EventActor; at: number; hasMore?: boolean },
): Promise<RemovedProject> {
  const current = await lockProject(context.database, tx, project.id)
  if (current === undefined) throw new Problem('not_found', `There is no project ${project.slug}.`)
  const ready = (await readyDeployments(tx, project.id)).map(({ id }) => id)
  const isGone = !(await deleteSomeDeployments(tx, project.id)) && !hasMore
  const event = { accountId: project.account_id, projectId: project.id, by, at }
  await recordEvent(tx, { ...event, type: 'project.deleted', data: { slug: current.slug } })
  await deleteProjectIn(context, tx, current, { hasMore: !isGone })
  return { ready, isGone }
}

/** Deletes a batch of the deployments of a hidden project, and the project once nothing is left. True: it is gone. */
export async function removeRemainsIn(
  tx: Tx,
  projectId: Id<'project'>,
  { hasMore }: { hasMore: boolean },
): Promise<boolean> {
  if ((await deleteSomeDeployments(tx, projectId)) || hasMore) return false
  await finishDeletionIn(tx, projectId)
  return true
}
