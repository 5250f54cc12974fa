import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { lockProject } from '../projects/change-project.ts'
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

/**
 * Makes those who decide over a name wait for each other. The locks of a plan and of projects come before those of
 * names, the change feed's comes after.
 */
export function lockHostname(database: Pick<Database, 'dialect'>, tx: Tx, hostname: string): Promise<void> {
  return lock(database, tx, `hostname:${hostname}`)
}

/** One by one in the order of the names, so that two who need several never wait for each other in a circle. */
export async function lockHostnames(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  hostnames: readonly string[],
): Promise<void> {
  for (const hostname of hostnames.toSorted()) await lockHostname(database, tx, hostname)
}
