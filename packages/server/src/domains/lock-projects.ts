import type { Id } from '@masthead/contract/ids.ts'
import type { Database, Tx } from '../database/database.ts'
import { lockProject } from '../projects/lock-project.ts'
import type { ProjectRow } from '../projects/project.ts'

/** One by one in the order of their ids, so that two who need several never wait for each other in a circle. */
export async function lockProjects(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  ids: readonly Id<'project'>[],
): Promise<Map<string, ProjectRow>> {
  const projects = new Map<string, ProjectRow>()
  for (const id of [...new Set(ids)].sort()) {
    const project = await lockProject(database, tx, id)
    if (project !== undefined) projects.set(id, project)
  }
  return projects
}
