import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { lockProject } from '../projects/change-project.ts'
import type { ProjectRow } from '../projects/project.ts'

/** Locks in the order of ids, so that transactions that need several cannot deadlock. */
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
 * Serializes transactions that decide about a name. Lock order: the plan, members, projects, names, and last the change feed.
 */
export function lockHostname(database: Pick<Database, 'dialect'>, tx: Tx, hostname: string): Promise<void> {
  return lock(database, tx, `hostname:${hostname}`)
}

/** Locks in the order of names, so that transactions that need several cannot deadlock. */
export async function lockHostnames(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  hostnames: readonly string[],
): Promise<void> {
  for (const hostname of hostnames.toSorted()) await lockHostname(database, tx, hostname)
}
