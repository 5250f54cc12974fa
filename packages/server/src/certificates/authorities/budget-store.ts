import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import { day } from '../../kernel/clock.ts'
import type { Bucket } from './token-bucket.ts'

export interface BucketKey {
  directory: string
  bucket: string
}

export async function findBucket(
  db: Reader | Tx,
  { directory, bucket }: BucketKey,
): Promise<Bucket | undefined> {
  const row = await db
    .selectFrom('issuance_buckets')
    .selectAll()
    .where('directory', '=', directory)
    .where('bucket', '=', bucket)
    .executeTakeFirst()
  return row && { fullAt: row.full_at, lastFullAt: row.last_full_at }
}

export async function putBucket(tx: Tx, key: BucketKey, { fullAt, lastFullAt }: Bucket): Promise<void> {
  const state = { full_at: fullAt, last_full_at: lastFullAt }
  await tx
    .insertInto('issuance_buckets')
    .values({ ...key, ...state })
    .onConflict((conflict) => conflict.columns(['directory', 'bucket']).doUpdateSet(state))
    .execute()
}

export async function deleteFullBuckets(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('issuance_buckets').where('full_at', '<=', now).execute()
}

/** Longer than the period of any limit. */
const keptFor = 8 * day

export type LoggedOrder = Selectable<Schema['issuance_log']>
export type OrderOutcome = Exclude<LoggedOrder['outcome'], 'ordered'>

export async function logOrder(tx: Tx, order: Omit<LoggedOrder, 'id' | 'outcome'>): Promise<void> {
  await tx
    .insertInto('issuance_log')
    .values({ ...order, id: randomUUID(), outcome: 'ordered' })
    .execute()
  await tx
    .deleteFrom('issuance_log')
    .where('at', '<', order.at - keptFor)
    .execute()
}

/** The order of a name that has no outcome yet; there is at most one. */
export async function findOpenOrder(
  db: Reader | Tx,
  directory: string,
  name: string,
): Promise<LoggedOrder | undefined> {
  return db
    .selectFrom('issuance_log')
    .selectAll()
    .where('directory', '=', directory)
    .where('name', '=', name)
    .where('outcome', '=', 'ordered')
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function setOutcome(tx: Tx, { id }: LoggedOrder, outcome: OrderOutcome): Promise<void> {
  await tx.updateTable('issuance_log').set({ outcome }).where('id', '=', id).execute()
}

export async function deleteOrder(tx: Tx, { id }: LoggedOrder): Promise<void> {
  await tx.deleteFrom('issuance_log').where('id', '=', id).execute()
}

export async function hasFailedSince(
  db: Reader | Tx,
  { directory, name }: Pick<LoggedOrder, 'directory' | 'name'>,
  since: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('issuance_log')
    .select('id')
    .where('directory', '=', directory)
    .where('name', '=', name)
    .where('at', '>', since)
    .where('exempt', '=', 0)
    .where('outcome', 'in', ['failed', 'refused'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The orders of an account since then, except those the CA does not count. */
export async function countOrders(
  db: Reader | Tx,
  { directory, account_id }: Pick<LoggedOrder, 'directory' | 'account_id'>,
  since: number,
): Promise<number> {
  const row = await db
    .selectFrom('issuance_log')
    .select((eb) => eb.fn.countAll<number | string | bigint>().as('orders'))
    .where('directory', '=', directory)
    .where('account_id', '=', account_id)
    .where('at', '>', since)
    .where('exempt', '=', 0)
    .where('outcome', '!=', 'refused')
    .executeTakeFirst()
  return Number(row?.orders ?? 0)
}
