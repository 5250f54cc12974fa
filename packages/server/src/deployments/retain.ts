import { keptDeployments } from '@masthead/contract/deployment-states.ts'
import type { Tx } from '../database/database.ts'
import { noteAccountChange } from '../events/account-changes.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import { lockProject } from '../projects/lock-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { deleteDeployments, readyBeyond } from './store.ts'

/** Removes the ready deployments that are neither among the newest nor being served. */
export async function retainIn(
  { database, changes }: ProjectContext,
  tx: Tx,
  project: Pick<ProjectRow, 'id'>,
): Promise<void> {
  const current = await lockProject(database, tx, project.id)
  if (current === undefined) return
  const beyond = await readyBeyond(tx, project.id, keptDeployments)
  const surplus = beyond.filter((id) => id !== current.active_deployment_id)
  if (surplus.length === 0) return
  await deleteDeployments(tx, surplus)
  noteAccountChange(tx, current.account_id)
  await changes.record(tx, { kind: 'project', subject: current.slug })
}
