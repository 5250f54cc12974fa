import type { Id } from '@masthead/contract/ids.ts'
import type { Reader } from '../database/database.ts'

export interface NameOwner {
  hostname: string
  accountId: Id<'account'>
  accountName: string
  projectSlug: string
}

/** Whoever proved each of the names; names that nobody has proved are not in it. */
export async function findOwners(db: Reader, hostnames: readonly string[]): Promise<NameOwner[]> {
  if (hostnames.length === 0) return []
  return db
    .selectFrom('domains')
    .innerJoin('accounts', 'accounts.id', 'domains.account_id')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .select(['domains.hostname', 'accounts.id as accountId', 'accounts.name as accountName'])
    .select('projects.slug as projectSlug')
    .where('domains.hostname', 'in', hostnames)
    .where('domains.held', '=', 1)
    .execute()
}
