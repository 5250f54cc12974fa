import type { Id } from '@masthead/contract/ids.ts'
import type { Reader, Tx } from '../database/database.ts'
import { type Config, type Redirect, unconfigured } from './domain-config.ts'

export async function findConfig(db: Reader, projectId: string): Promise<Config> {
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
  projectId: Id<'project'>,
  { primary, redirects }: Config,
  at: number,
): Promise<void> {
  const content = { primary_domain: primary, redirects: JSON.stringify(redirects), updated_at: at }
  await tx
    .insertInto('domain_configs')
    .values({ project_id: projectId, ...content })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(content))
    .execute()
}

export function parseRedirects(stored: string | null): Redirect[] {
  return stored === null ? [] : (JSON.parse(stored) as Redirect[])
}
