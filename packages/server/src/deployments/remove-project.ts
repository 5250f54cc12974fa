import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import { deleteProjectIn } from '../projects/delete-project.ts'
import { lockProject } from '../projects/lock-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { deleteDeployments, deploymentIdsOf } from './store.ts'

/** Deletes a project with all its deployments. It stops being served at once; its files go with the next sweep. */
export async function removeProject(
  context: ProjectContext,
  { project, by }: { project: ProjectRow; by: EventActor },
): Promise<void> {
  await context.database.write(async (tx) => {
    const current = await lockProject(context.database, tx, project.id)
    if (current === undefined) throw new Problem('not_found', `There is no project ${project.slug}.`)
    await deleteDeployments(tx, await deploymentIdsOf(tx, project.id))
    await deleteProjectIn(context, tx, current)
    const at = context.now()
    const event = { accountId: project.account_id, projectId: project.id, by, at }
    await recordEvent(tx, { ...event, type: 'project.deleted', data: { slug: current.slug } })
  })
}
