import type { Id } from '@masthead/contract/ids.ts'
import type { Reader } from '../database/database.ts'

/** The primary domains of some projects, in one query; none where it is the default subdomain. */
export async function primariesOf(db: Reader, projects: readonly Id<'project'>[]) {
  if (projects.length === 0) return []
  return db
    .selectFrom('domain_configs')
    .innerJoin('domains', (join) =>
      join
        .onRef('domains.project_id', '=', 'domain_configs.project_id')
        .onRef('domains.hostname', '=', 'domain_configs.primary_domain'),
    )
    .select(['domains.project_id', 'domains.hostname', 'domains.state', 'domains.held'])
    .where('domain_configs.project_id', 'in', projects)
    .execute()
}
