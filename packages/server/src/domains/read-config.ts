import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import type { ProjectRow } from '../projects/project.ts'
import { findConfig } from './config-store.ts'
import type { DomainContext, Naming } from './context.ts'
import { toNamed } from './domain-config.ts'

export async function readConfig(
  { database, naming }: Pick<DomainContext, 'database' | 'naming'>,
  project: ProjectRow,
): Promise<DomainConfig> {
  const config = await findConfig(database.read, project.id)
  return { domains: toNamed(config, defaultSubdomain(project, naming)) }
}

/** The name under the platform domain that every project has. */
export function defaultSubdomain(
  { slug }: Pick<ProjectRow, 'slug'>,
  { platformDomain }: Pick<Naming, 'platformDomain'>,
): string {
  return `${slug}.${platformDomain}`
}
