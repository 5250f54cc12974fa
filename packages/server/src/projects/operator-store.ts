import type { Id } from '@masthead/contract/ids.ts'
import { containing } from '../database/containing.ts'
import type { Database, Reader } from '../database/database.ts'

export interface SiteFilter {
  before?: string | undefined
  limit: number
  takenDownOnly: boolean
  /** A part of the slug, or the whole of a custom domain. */
  search?: string | undefined
  projectId?: Id<'project'> | undefined
}

/** Projects of all accounts with the account's name, newest first. */
export function sitesBefore(database: Pick<Database, 'dialect' | 'read'>, filter: SiteFilter) {
  const { before, search, projectId } = filter
  let query = database.read
    .selectFrom('projects')
    .innerJoin('accounts', 'accounts.id', 'projects.account_id')
    .selectAll('projects')
    .select('accounts.name as account_name')
    .where('accounts.deleted_at', 'is', null)
    .orderBy('projects.id', 'desc')
    .limit(filter.limit)
  if (before !== undefined) query = query.where('projects.id', '<', before as Id<'project'>)
  if (projectId !== undefined) query = query.where('projects.id', '=', projectId)
  if (filter.takenDownOnly) query = query.where('projects.takedown_at', 'is not', null)
  if (search !== undefined) {
    query = query.where((e) =>
      e.or([
        containing(database, 'projects.slug', search),
        e.exists(
          e
            .selectFrom('domains')
            .select('domains.id')
            .whereRef('domains.project_id', '=', 'projects.id')
            .where('domains.hostname', '=', search),
        ),
      ]),
    )
  }
  return query.execute()
}

export async function domainNamesOf(db: Reader, projects: Id<'project'>[]) {
  if (projects.length === 0) return []
  return db
    .selectFrom('domains')
    .select(['project_id', 'hostname'])
    .where('project_id', 'in', projects)
    .orderBy('hostname')
    .limit(1_000)
    .execute()
}
