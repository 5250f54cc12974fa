import type { Id } from '@masthead/contract/ids.ts'
import type { Selectable, Updateable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type DeploymentRow = Selectable<Schema['deployments']>

export async function insertDeployment(tx: Tx, row: DeploymentRow): Promise<void> {
  await tx.insertInto('deployments').values(row).execute()
}

export function findDeployment(db: Reader, id: Id<'deployment'>): Promise<DeploymentRow | undefined> {
  return db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findDeployments(db: Reader, ids: Id<'deployment'>[]): Promise<DeploymentRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return db.selectFrom('deployments').selectAll().where('id', 'in', ids).execute()
}

export function deploymentsBefore(
  db: Reader,
  projectId: Id<'project'>,
  before: string | undefined,
  limit: number,
): Promise<DeploymentRow[]> {
  return db
    .selectFrom('deployments')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'deployment'>))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export function updateDeployment(
  tx: Tx,
  id: Id<'deployment'>,
  change: Updateable<Schema['deployments']>,
): Promise<DeploymentRow | undefined> {
  return tx.updateTable('deployments').set(change).where('id', '=', id).returningAll().executeTakeFirst()
}

/** Ready deployments of a project from the newest on, without the first `kept`. */
export async function readyBeyond(
  tx: Tx,
  projectId: Id<'project'>,
  kept: number,
): Promise<Id<'deployment'>[]> {
  const rows = await tx
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', projectId)
    .where('state', '=', 'ready')
    .orderBy('id', 'desc')
    .execute()
  return rows.slice(kept).map((row) => row.id)
}

/** Removes deployments. Their manifests are noted, for the sweep to remove with the files that only they named. */
export async function deleteDeployments(tx: Tx, ids: Id<'deployment'>[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await tx
    .deleteFrom('deployments')
    .where('id', 'in', ids)
    .returning(['id as deployment_id', 'account_id'])
    .execute()
  if (rows.length > 0) await tx.insertInto('discarded_manifests').values(rows).execute()
}

export async function deploymentIdsOf(
  db: Reader,
  of: { project_id: Id<'project'> } | { account_id: Id<'account'> },
): Promise<Id<'deployment'>[]> {
  const query = db.selectFrom('deployments').select('id')
  const rows = await ('project_id' in of
    ? query.where('project_id', '=', of.project_id)
    : query.where('account_id', '=', of.account_id)
  ).execute()
  return rows.map((row) => row.id)
}

export async function anyUploading(tx: Tx, accountId: Id<'account'>): Promise<boolean> {
  const row = await tx
    .selectFrom('deployments')
    .select('id')
    .where('account_id', '=', accountId)
    .where('state', '=', 'uploading')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export function uploadingSince(db: Reader, before: number): Promise<DeploymentRow[]> {
  return db
    .selectFrom('deployments')
    .selectAll()
    .where('state', '=', 'uploading')
    .where('created_at', '<', before)
    .execute()
}

/** The oldest ready deployment whose files still lack their compressed forms. */
export function nextToEncode(db: Reader): Promise<DeploymentRow | undefined> {
  return db
    .selectFrom('deployments')
    .selectAll()
    .where('state', '=', 'ready')
    .where('encoded_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export async function accountsWithDiscarded(db: Reader): Promise<Id<'account'>[]> {
  const rows = await db.selectFrom('discarded_manifests').select('account_id').distinct().execute()
  return rows.map((row) => row.account_id)
}

export async function discardedManifests(db: Reader, accountId: Id<'account'>): Promise<Id<'deployment'>[]> {
  const rows = await db
    .selectFrom('discarded_manifests')
    .select('deployment_id')
    .where('account_id', '=', accountId)
    .execute()
  return rows.map((row) => row.deployment_id)
}

export async function forgetDiscarded(tx: Tx, ids: Id<'deployment'>[]): Promise<void> {
  await tx.deleteFrom('discarded_manifests').where('deployment_id', 'in', ids).execute()
}
