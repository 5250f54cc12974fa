import type { Id } from '@masthead/contract/schemas/fields.ts'
import { sql } from 'kysely'
import { compileOncePerLength } from '../../database/compile-once.ts'
import type { Reader, Tx } from '../../database/database.ts'
import { noteChange } from '../../events/noted-changes.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { type StoredConfig, type StoredRedirect, unconfigured } from './domain-config.ts'

export async function findConfig(db: Reader, projectId: string): Promise<StoredConfig> {
  const row = await db
    .selectFrom('domain_configs')
    .select(['primary_domain', 'redirects'])
    .where('project_id', '=', projectId as Id<'project'>)
    .executeTakeFirst()
  if (row === undefined) return unconfigured
  return { primary: row.primary_domain, redirects: parseRedirects(row.redirects) }
}

export async function storeConfig(
  tx: Tx,
  project: Pick<ProjectRow, 'id' | 'account_id'>,
  { primary, redirects }: StoredConfig,
  at: number,
): Promise<void> {
  noteChange(tx, 'account', project.account_id)
  const content = { primary_domain: primary, redirects: JSON.stringify(redirects), updated_at: at }
  await tx
    .insertInto('domain_configs')
    .values({ project_id: project.id, ...content })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(content))
    .execute()
}

export function parseRedirects(stored: string | null): StoredRedirect[] {
  return stored === null ? [] : (JSON.parse(stored) as StoredRedirect[])
}

/** The primary domains of several projects in one query. The default subdomain is left out. */
export const findPrimaries = compileOncePerLength((db, projects: readonly Id<'project'>[]) =>
  db
    .selectFrom('domain_configs')
    .innerJoin('domains', (join) =>
      join
        .onRef('domains.project_id', '=', 'domain_configs.project_id')
        .onRef('domains.hostname', '=', 'domain_configs.primary_domain'),
    )
    .select(['domains.project_id', 'domains.hostname', 'domains.state', 'domains.held'])
    .where('domain_configs.project_id', 'in', projects),
)

/** Everything that routing a host needs, in one lookup: its state, its project and the project's redirects. */
export function findHeldRoutes(db: Reader, hostnames: readonly string[]) {
  return (
    db
      .selectFrom('domains')
      .innerJoin('projects', 'projects.id', 'domains.project_id')
      .innerJoin('accounts', 'accounts.id', 'domains.account_id')
      .leftJoin('domain_configs', 'domain_configs.project_id', 'domains.project_id')
      .select([
        'domains.hostname',
        'domains.account_id',
        'domains.state',
        'domains.held',
        'domains.project_id',
        'domains.branch',
        'domains.proxy',
        'projects.slug',
        'projects.strict_transport',
        'projects.takedown_at',
        'accounts.suspended_at',
        'domain_configs.redirects',
      ])
      .where('domains.hostname', 'in', hostnames)
      .where('domains.held', '=', sql.lit(1))
      .where('accounts.deleted_at', 'is', null)
      // Not of a project that is being removed.
      .whereRef('projects.slug', '!=', 'projects.id')
      .execute()
  )
}

export async function projectSlug(db: Reader, id: Id<'project'>): Promise<string | undefined> {
  const row = await db.selectFrom('projects').select('slug').where('id', '=', id).executeTakeFirst()
  return row?.slug
}
