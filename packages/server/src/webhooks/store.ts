import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

export type WebhookRow = Selectable<Schema['webhooks']>
export type DeliveryRow = Selectable<Schema['webhook_deliveries']>
export type WebhookChange = Updateable<Schema['webhooks']>

export async function insertWebhook(tx: Tx, row: Insertable<Schema['webhooks']>): Promise<void> {
  await tx.insertInto('webhooks').values(row).execute()
}

/** Newest first. An account only has a few. */
export function webhooksOf(db: Reader, accountId: Id<'account'>): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .execute()
}

export function findWebhook(
  db: Reader,
  accountId: Id<'account'>,
  id: Id<'webhook'>,
): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

/** Hold the lock of a webhook while changing its queues, so that no queue is deleted while it gets a delivery. */
export function lockWebhook(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  id: Id<'webhook'>,
): Promise<WebhookRow | undefined> {
  const row = tx.selectFrom('webhooks').selectAll().where('id', '=', id)
  return (dialect === 'postgres' ? row.forUpdate() : row).executeTakeFirst()
}

export async function updateWebhook(tx: Tx, id: Id<'webhook'>, change: WebhookChange): Promise<void> {
  await tx.updateTable('webhooks').set(change).where('id', '=', id).execute()
}

/** Its deliveries and queues go with it. */
export async function deleteWebhook(tx: Tx, id: Id<'webhook'>): Promise<void> {
  await tx.deleteFrom('webhooks').where('id', '=', id).execute()
}

export async function disableWebhooksOf(tx: Tx, accountId: Id<'account'>, at: number): Promise<void> {
  await tx.updateTable('webhooks').set({ disabled_at: at }).where('account_id', '=', accountId).execute()
}

/** On SQLite, everything else waits for a batch. */
const deletedAtOnce = 200

/** Deletes a batch of what the webhooks of an account have, and then them. True if there may be more. */
export async function deleteSomeWebhookRows(tx: Tx, accountId: Id<'account'>): Promise<boolean> {
  for (const [table, key] of [
    ['webhook_queues', sql`webhook_id, resource`],
    ['webhook_deliveries', sql`id`],
  ] as const) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where (${key}) in (
        select ${key} from ${sql.table(table)}
        where webhook_id in (select id from webhooks where account_id = ${accountId})
        limit ${sql.lit(deletedAtOnce)})`.execute(tx)
    // Fewer than asked for: a worker may have deleted some at the same time.
    if (numAffectedRows !== undefined && numAffectedRows > 0n) return true
  }
  await tx.deleteFrom('webhooks').where('account_id', '=', accountId).execute()
  return false
}

export async function insertDeliveries(
  tx: Tx,
  rows: Insertable<Schema['webhook_deliveries']>[],
): Promise<void> {
  const most = 500
  for (let from = 0; from < rows.length; from += most) {
    await tx
      .insertInto('webhook_deliveries')
      .values(rows.slice(from, from + most))
      .execute()
  }
}

/** Newest first. */
export function deliveriesBefore(
  db: Reader,
  webhookId: Id<'webhook'>,
  before: string | undefined,
  limit: number,
): Promise<DeliveryRow[]> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .$if(before !== undefined, (query) => query.where('id', '<', before as Id<'delivery'>))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export function findDelivery(
  db: Reader,
  webhookId: Id<'webhook'>,
  id: Id<'delivery'>,
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst()
}

export async function pendingCount(db: Reader, webhookId: Id<'webhook'>, atMost: number): Promise<number> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .limit(atMost)
    .execute()
  return rows.length
}

/** Deletes finished deliveries that are too old, a batch at a time. True if there may be more. */
export async function deleteFinishedBefore(tx: Tx, time: number, most: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', (from) =>
      from
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('finished_at', '<', time)
        .orderBy('finished_at')
        .limit(most),
    )
    .executeTakeFirst()
  return Number(numDeletedRows) === most
}

/** Keeps the newest `kept` deliveries of the webhook and those that are pending. */
export async function deleteBeyond(tx: Tx, webhookId: Id<'webhook'>, kept: number): Promise<void> {
  await tx
    .deleteFrom('webhook_deliveries')
    .where('webhook_id', '=', webhookId)
    .where('finished_at', 'is not', null)
    .where('id', '<=', (from) =>
      from
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('webhook_id', '=', webhookId)
        .orderBy('id', 'desc')
        .offset(kept)
        .limit(1),
    )
    .execute()
}
