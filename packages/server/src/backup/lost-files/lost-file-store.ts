import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Reader } from '../../database/database.ts'

export interface DeploymentToCheck {
  id: Id<'deployment'>
  slug: string
}

export async function accountsWithFiles(db: Reader): Promise<Id<'account'>[]> {
  const rows = await db
    .selectFrom('deployments')
    .select('account_id')
    .union(db.selectFrom('blobs').select('account_id'))
    .orderBy('account_id')
    .execute()
  return rows.map(({ account_id }) => account_id)
}

export function deploymentsToCheck(db: Reader, accountId: Id<'account'>): Promise<DeploymentToCheck[]> {
  return db
    .selectFrom('deployments')
    .innerJoin('projects', 'projects.id', 'deployments.project_id')
    .select(['deployments.id', 'projects.slug'])
    .where('deployments.account_id', '=', accountId)
    .where('deployments.state', '=', 'ready')
    .orderBy('deployments.id')
    .execute()
}
