import { keptDeployments } from '@masthead/contract/deployment-states.ts'
import type { Tx } from '../database/database.ts'
import { readActiveDeployment } from '../projects/active-deployment.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { deleteDeployments, readyBeyond } from './store.ts'

/** Removes the ready deployments that are neither among the newest nor being served. */
export async function retainIn({ changes }: ProjectContext, tx: Tx, project: ProjectRow): Promise<void> {
  const active = await readActiveDeployment(tx, project.id)
  const surplus = (await readyBeyond(tx, project.id, keptDeployments)).filter((id) => id !== active)
  if (surplus.length === 0) return
  await deleteDeployments(tx, surplus)
  await changes.record(tx, { kind: 'project', subject: project.slug })
}
