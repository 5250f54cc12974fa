import type { Id } from '@masthead/contract/ids.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import { deleteProjectIn } from '../projects/delete-project.ts'
import { lockProject } from '../projects/lock-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { deleteDeployments, deploymentIdsOf } from './store.ts'

/**
 * Deletes a project with all its deployments; its files go with the next sweep. A part of something larger: what
 * else belongs to a project goes first. Resolves to the ids of its deployments.
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
