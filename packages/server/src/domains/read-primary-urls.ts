import type { ProjectRow } from '../projects/project.ts'
import type { DomainContext } from './context.ts'
import { isServing } from './decide.ts'
import { domainUrl } from './domain-url.ts'
import { primariesOf } from './primary-store.ts'

/** By the id of the project, where its primary domain is one of its own and visitors get to see it. */
export async function readPrimaryUrls(
  { database, addresses }: Pick<DomainContext, 'database' | 'addresses'>,
  projects: readonly ProjectRow[],
): Promise<Map<string, string>> {
  const ids = projects.map(({ id }) => id)
  const rows = await primariesOf(database.read, ids)
  return new Map(rows.filter(isServing).map((row) => [row.project_id, domainUrl(row, addresses)]))
}
