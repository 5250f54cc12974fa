import type { Id } from '@masthead/contract/ids.ts'
import type { Reader } from '../database/database.ts'

/** What decides over a host, in one look-up by name: its state, its project and where the project redirects it. */
export function findHeldRoute(db: Reader, hostname: string) {
  return db
    .selectFrom('domains')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .innerJoin('accounts', 'accounts.id', 'domains.account_id')
    .leftJoin('domain_configs', 'domain_configs.project_id', 'domains.project_id')
    .select([
      'domains.state',
      'domains.held',
      'domains.project_id',
      'projects.slug',
      'projects.strict_transport',
      'projects.takedown_at',
      'accounts.suspended_at',
      'domain_configs.redirects',
    ])
    .where('domains.hostname', '=', hostname)
    .where('domains.held', '=', 1)
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function projectSlug(db: Reader, id: Id<'project'>): Promise<string | undefined> {
  const row = await db.selectFrom('projects').select('slug').where('id', '=', id).executeTakeFirst()
  return row?.slug
}
