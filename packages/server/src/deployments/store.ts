import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Selectable, sql, type Updateable } from 'kysely'
import { compileOnce, compileOncePerLength } from '../database/compile-once.ts'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { noteChange } from '../events/noted-changes.ts'

export type DeploymentRow = Selectable<Schema['deployments']>

export async function insertDeployment(tx: Tx, row: DeploymentRow): Promise<void> {
  noteChange(tx, 'account', row.account_id)
  await tx.insertInto('deployments').values(row).execute()
}

export function findDeployment(db: Reader, id: Id<'deployment'>): Promise<DeploymentRow | undefined> {
  return db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst()
}

export const findDeployments = compileOncePerLength((db, ids: readonly Id<'deployment'>[]) =>
  db.selectFrom('deployments').selectAll().where('id', 'in', ids),
)

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

export async function updateDeployment(
  tx: Tx,
  id: Id<'deployment'>,
  change: Updateable<Schema['deployments']>,
): Promise<DeploymentRow | undefined> {
  const query = tx.updateTable('deployments').set(change).where('id', '=', id)
  const row = await query.returningAll().executeTakeFirst()
  if (row !== undefined) noteChange(tx, 'account', row.account_id)
  return row
}

type EncodingChange = Pick<
  Updateable<Schema['deployments']>,
  'encode_lease_until' | 'encode_failures' | 'encode_due_at' | 'quick_encoded_at' | 'encoded_at'
>

/** Only while the lease that the row was read with holds. Nobody sees how far the compression is. */
export async function updateEncoding(
  tx: Tx,
  { id, encode_lease_until }: Pick<DeploymentRow, 'id' | 'encode_lease_until'>,
  change: EncodingChange,
): Promise<void> {
  await tx
    .updateTable('deployments')
    .set(change)
    .where('id', '=', id)
    .where('encode_lease_until', '=', encode_lease_until)
    .execute()
}

/** Newest first. */
export function readyDeployments(
  tx: Tx,
  projectId: Id<'project'>,
): Promise<Pick<DeploymentRow, 'id' | 'branch' | 'created_at' | 'activated_at'>[]> {
  return tx
    .selectFrom('deployments')
    .select(['id', 'branch', 'created_at', 'activated_at'])
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('ready'))
    .orderBy('id', 'desc')
    .execute()
}

/** The newest ready deployment of a branch, by its name or by the label of its address. */
export function findNewestOfBranch(
  db: Reader,
  projectId: Id<'project'>,
  [column, value]: ['branch' | 'branch_label', string],
): Promise<Pick<DeploymentRow, 'id'> | undefined> {
  return db
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', projectId)
    .where(column, '=', value)
    .where('state', '=', sql.lit('ready'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Branches that domains of the project show. */
export async function followedBranches(tx: Tx, projectId: Id<'project'>): Promise<Set<string | null>> {
  const rows = await tx
    .selectFrom('domains')
    .select('branch')
    .distinct()
    .where('project_id', '=', projectId)
    .where('branch', 'is not', null)
    .execute()
  return new Set(rows.map(({ branch }) => branch))
}

/** The label that the branch has now. */
export async function labelOfBranch(
  tx: Tx,
  projectId: Id<'project'>,
  branch: string,
): Promise<string | null> {
  const row = await tx
    .selectFrom('deployments')
    .select('branch_label')
    .where('project_id', '=', projectId)
    .where('branch', '=', branch)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.branch_label ?? null
}

/** Those of these labels that other branches have. */
export async function labelsOfOthers(
  tx: Tx,
  projectId: Id<'project'>,
  branch: string,
  labels: readonly string[],
): Promise<Set<string | null>> {
  const rows = await tx
    .selectFrom('deployments')
    .select('branch_label')
    .distinct()
    .where('project_id', '=', projectId)
    .where('branch_label', 'in', labels)
    .where('branch', '!=', branch)
    .execute()
  return new Set(rows.map((row) => row.branch_label))
}

/** Per statement: databases limit how many values one can have. */
const batchSize = 1_000

function* batchesOf<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += batchSize) yield items.slice(from, from + batchSize)
}

/** Records their manifests, so that the sweep can remove them with the files that only they name. */
export async function deleteDeployments(tx: Tx, ids: readonly Id<'deployment'>[]): Promise<void> {
  for (const some of batchesOf(ids)) {
    const query = tx.deleteFrom('deployments').where('id', 'in', some)
    await recordDiscarded(tx, await query.returning(['id', 'account_id', 'manifest_bytes']).execute())
  }
}

/** Cancels those that are not ready. */
export async function deleteUploads(tx: Tx, ids: readonly Id<'deployment'>[]): Promise<void> {
  for (const some of batchesOf(ids)) {
    const query = tx
      .deleteFrom('deployments')
      .where('state', '=', sql.lit('uploading'))
      .where('id', 'in', some)
    await recordDiscarded(tx, await query.returning(['id', 'account_id', 'manifest_bytes']).execute())
  }
}

/** Cancels uploads that started before a time. */
export async function deleteUploadsBefore(tx: Tx, before: number): Promise<void> {
  const query = tx
    .deleteFrom('deployments')
    .where('state', '=', sql.lit('uploading'))
    .where('created_at', '<', before)
  await recordDiscarded(tx, await query.returning(['id', 'account_id', 'manifest_bytes']).execute())
}

export async function recordDiscarded(
  tx: Tx,
  deployments: Pick<DeploymentRow, 'id' | 'account_id' | 'manifest_bytes'>[],
): Promise<void> {
  for (const { account_id } of deployments) noteChange(tx, 'account', account_id)
  for (const some of batchesOf(deployments)) {
    await tx
      .insertInto('discarded_manifests')
      .values(
        some.map(({ id, account_id, manifest_bytes: bytes }) => ({ deployment_id: id, account_id, bytes })),
      )
      .onConflict((conflict) => conflict.column('deployment_id').doNothing())
      .execute()
  }
}

/** Uploads to the project that are neither finished nor cancelled. */
export async function countUploads(tx: Tx, projectId: Id<'project'>): Promise<number> {
  const { uploads } = await tx
    .selectFrom('deployments')
    .select((e) => e.fn.countAll<number>().as('uploads'))
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('uploading'))
    .executeTakeFirstOrThrow()
  return Number(uploads)
}

/** Deletes a batch of the project's deployments. True if there may be more. */
export async function deleteSomeDeployments(tx: Tx, projectId: Id<'project'>): Promise<boolean> {
  const rows = await tx
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', projectId)
    .limit(batchSize)
    .execute()
  await deleteDeployments(
    tx,
    rows.map(({ id }) => id),
  )
  return rows.length === batchSize
}

export type DeploymentToRead = Pick<DeploymentRow, 'id' | 'state' | 'files' | 'created_at'>

/** All of the account, for the sweep, which reads their manifests. */
export function deploymentsToRead(db: Reader, accountId: Id<'account'>): Promise<DeploymentToRead[]> {
  return db
    .selectFrom('deployments')
    .select(['id', 'state', 'files', 'created_at'])
    .where('account_id', '=', accountId)
    .execute()
}

/**
 * The next ready deployment to compress: those without any compressed form first, live ones first, small ones first.
 * Skips those that another process works on, or that failed recently.
 */
export const nextToEncode = compileOnce((db, { at }: { at: number }) =>
  db
    .selectFrom('deployments')
    .innerJoin('projects', 'projects.id', 'deployments.project_id')
    .selectAll('deployments')
    .where('deployments.state', '=', sql.lit('ready'))
    .where('deployments.encoded_at', 'is', null)
    .where('deployments.encode_due_at', '<=', at)
    .where('deployments.encode_lease_until', '<=', at)
    .orderBy(sql`case when deployments.quick_encoded_at is null then 0 else 1 end`)
    .orderBy(sql`case when projects.active_deployment_id = deployments.id then 0 else 1 end`)
    .orderBy('deployments.bytes')
    .orderBy('deployments.id')
    .limit(1),
)

/** Undefined if another process was first. */
export async function leaseToEncode(
  tx: Tx,
  id: Id<'deployment'>,
  { at, until }: { at: number; until: number },
): Promise<DeploymentRow | undefined> {
  return tx
    .updateTable('deployments')
    .set({ encode_lease_until: until })
    .where('id', '=', id)
    .where('encode_lease_until', '<=', at)
    .returningAll()
    .executeTakeFirst()
}

/** Those with the fewest deployments first. */
export async function accountsWithDiscarded(db: Reader): Promise<Id<'account'>[]> {
  const rows = await db
    .selectFrom('discarded_manifests')
    .select('account_id')
    .groupBy('account_id')
    .orderBy((e) =>
      e
        .selectFrom('deployments')
        .select(({ fn }) => fn.countAll().as('count'))
        .whereRef('deployments.account_id', '=', 'discarded_manifests.account_id'),
    )
    .execute()
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

export async function forgetDiscarded(tx: Tx, ids: readonly Id<'deployment'>[]): Promise<void> {
  for (const some of batchesOf(ids))
    await tx.deleteFrom('discarded_manifests').where('deployment_id', 'in', some).execute()
}
