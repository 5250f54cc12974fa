import { isReached } from '@masthead/contract/domains/states.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainContext } from '../context.ts'
import { domainUrl, isServing } from '../domain.ts'
import { defaultSubdomain, toNamed } from './domain-config.ts'
import { findConfig, findPrimaries } from './store.ts'

export async function readConfig(
  { database, naming }: Pick<DomainContext, 'database' | 'naming'>,
  project: ProjectRow,
): Promise<DomainConfig> {
  const config = await findConfig(database.read, project.id)
  return { domains: toNamed(config, defaultSubdomain(project, naming)) }
}

/** By project id, for projects whose primary domain is a custom one that is being served. */
export async function readPrimaryUrls(
  { database, addresses }: Pick<DomainContext, 'database' | 'addresses'>,
  projects: readonly ProjectRow[],
): Promise<Map<string, string>> {
  const ids = projects.map(({ id }) => id)
  const rows = await findPrimaries(database, ids)
  return new Map(
    rows
      .filter((row) => isServing(row) && isReached(row.state))
      .map((row) => [row.project_id, domainUrl(row, addresses)]),
  )
}
