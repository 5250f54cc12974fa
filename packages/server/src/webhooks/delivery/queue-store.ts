import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Database, Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import type { DeliveryRow, WebhookRow } from '../store.ts'

export type QueueRow = Selectable<Schema['webhook_queues']>

/** A queue that is reserved for one worker, with the delivery at its head. */
export interface ClaimedQueue {
  queue: QueueRow
  /** Different for every claim, so that a claim that was lost changes nothing. */
  owner: string
  webhook: WebhookRow
  head: DeliveryRow
  /** Releases its slot. */
  release: () => void
}

/** With its rank among the queues of its account. */
export type DueQueue = QueueRow & { rank: number; isReliable: boolean }

export interface DueQuestion {
  now: number
  perWebhook: number
  most: number
  /** Those whose latest attempt was delivered, or only the others. */
  areReliable?: boolean
  only?: readonly Id<'webhook'>[]
  without: readonly Id<'webhook'>[]
}

/**
 * When a delivery is due that a person asked for. The circuit breaker lets it pass, because they want to see whether the
 * endpoint works, and attempts that fail meanwhile do not put it off.
 */
export const dueForPerson = 0

/**
 * Queues that are due, the first few of each webhook, longest due first. First one of each account, then the second of
 * each, and so on: however much waits for some accounts, it does not keep others from being among the first.
 */
export async function dueQueues(
  database: Pick<Database, 'dialect' | 'read'>,
  { areReliable, only, without, ...question }: DueQuestion,
): Promise<DueQueue[]> {
  const { read } = database
  const placed = firstOfEach(database, question)
    .selectAll('webhook_queues')
    .select(
      sql<number>`row_number() over (partition by webhook_queues.webhook_id order by due_at, resource)`.as(
        'place',
      ),
    )
    // Those of an account that is being deleted have queues for a while.
    .where('disabled_at', 'is', null)
    .$if(areReliable === true, (query) =>
      query.where('delivered_at', 'is not', null).where('failing_since', 'is', null),
    )
    .$if(areReliable === false, (query) =>
      query.where((e) => e.or([e('delivered_at', 'is', null), e('failing_since', 'is not', null)])),
    )
    .$if(only !== undefined, (query) => query.where('webhooks.id', 'in', only ?? []))
    .$if(without.length > 0, (query) => query.where('webhooks.id', 'not in', without))
  const ranked = read
    .selectFrom(placed.as('placed'))
    .selectAll()
    .select(sql<number>`row_number() over (partition by account_id order by place, due_at)`.as('rank'))
  const rows = await read
    .selectFrom(ranked.as('ranked'))
    .selectAll()
    .orderBy('rank')
    .orderBy('due_at')
    .limit(question.most)
    .execute()
  return rows.map((row) => ({ ...row, isReliable: areReliable === true }))
}

/**
 * Webhooks with the first of their due queues. Of the others only an index is read, and nothing is sorted: a webhook may
 * have thousands, and every commit makes workers look.
 */
function firstOfEach(
  { dialect, read }: Pick<Database, 'dialect' | 'read'>,
  { now, perWebhook }: Pick<DueQuestion, 'now' | 'perWebhook'>,
) {
  const waiting = read.selectFrom('webhook_queues').select('webhook_id').distinct().where('due_at', '<=', now)
  const webhooks = read.selectFrom('webhooks').where('webhooks.id', 'in', waiting)
  const first = sql`
    from webhook_queues as due
    where due.webhook_id = webhooks.id and due.due_at <= ${now} and due.lease_until <= ${now}
      and (webhooks.paused_until <= ${now} or due.due_at = ${sql.lit(dueForPerson)})
    order by due.due_at, due.resource limit ${sql.lit(perWebhook)}`
  if (dialect === 'postgres')
    return webhooks.crossJoinLateral(
      sql<QueueRow>`(select due.* ${first})`.as<'webhook_queues'>(sql`webhook_queues`),
    )
  // On SQLite, a cross join says in which order to join.
  return webhooks
    .crossJoin('webhook_queues')
    .whereRef('webhook_queues.webhook_id', '=', 'webhooks.id')
    .where(sql<SqlBool>`webhook_queues.resource in (select due.resource ${first})`)
}

/** The webhooks, locked until the end of the transaction. Leaves out those that another worker has locked. */
export function lockFreeWebhooks(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  ids: readonly Id<'webhook'>[],
): Promise<WebhookRow[]> {
  const rows = tx.selectFrom('webhooks').selectAll().where('id', 'in', ids).orderBy('id')
  return (dialect === 'postgres' ? rows.forUpdate().skipLocked() : rows).execute()
}

/** Null if it is not due any more. */
export async function leaseQueue(
  tx: Tx,
  { webhook_id, resource }: Pick<QueueRow, 'webhook_id' | 'resource'>,
  { owner, now, until }: { owner: string; now: number; until: number },
): Promise<QueueRow | null> {
  const row = await tx
    .updateTable('webhook_queues')
    .set({ lease_owner: owner, lease_until: until })
    .where('webhook_id', '=', webhook_id)
    .where('resource', '=', resource)
    .where('due_at', '<=', now)
    .where('lease_until', '<=', now)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export function headOf(
  tx: Tx,
  { webhook_id, resource }: Pick<QueueRow, 'webhook_id' | 'resource'>,
): Promise<DeliveryRow | undefined> {
  return tx
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhook_id)
    .where('resource', '=', resource)
    .where('state', '=', 'pending')
    .orderBy('seq')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** The highest number of a pending delivery. */
export async function lastSeq(tx: Tx, webhookId: Id<'webhook'>, resource: string): Promise<number> {
  const row = await tx
    .selectFrom('webhook_deliveries')
    .select('seq')
    .where('webhook_id', '=', webhookId)
    .where('resource', '=', resource)
    .where('state', '=', 'pending')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.seq ?? 0
}

export async function ensureQueue(
  tx: Tx,
  queue: Pick<QueueRow, 'webhook_id' | 'resource' | 'account_id' | 'due_at'>,
): Promise<void> {
  await tx
    .insertInto('webhook_queues')
    .values({ ...queue, lease_owner: null, lease_until: 0 })
    .onConflict((conflict) => conflict.columns(['webhook_id', 'resource']).doNothing())
    .execute()
}

export async function isStillOurs(tx: Tx, { queue, owner }: ClaimedQueue): Promise<boolean> {
  const row = await tx
    .selectFrom('webhook_queues')
    .select('lease_owner')
    .where('webhook_id', '=', queue.webhook_id)
    .where('resource', '=', queue.resource)
    .executeTakeFirst()
  return row?.lease_owner === owner
}

export async function updateQueue(
  tx: Tx,
  { webhook_id, resource }: QueueRow,
  change: Partial<Pick<QueueRow, 'due_at' | 'lease_owner' | 'lease_until'>>,
): Promise<void> {
  await tx
    .updateTable('webhook_queues')
    .set(change)
    .where('webhook_id', '=', webhook_id)
    .where('resource', '=', resource)
    .execute()
}

export async function deleteQueue(tx: Tx, { webhook_id, resource }: QueueRow): Promise<void> {
  await tx
    .deleteFrom('webhook_queues')
    .where('webhook_id', '=', webhook_id)
    .where('resource', '=', resource)
    .execute()
}

/** For a webhook that is left alone, so that workers do not read its queues over and over. */
export async function delayQueues(tx: Tx, webhookId: Id<'webhook'>, until: number): Promise<void> {
  await tx
    .updateTable('webhook_queues')
    .set({ due_at: until })
    .where('webhook_id', '=', webhookId)
    .where('due_at', '<', until)
    .where('due_at', '!=', dueForPerson)
    .execute()
}

/** For a webhook that works again. */
export async function hurryQueues(tx: Tx, webhookId: Id<'webhook'>, now: number): Promise<void> {
  await tx
    .updateTable('webhook_queues')
    .set({ due_at: now })
    .where('webhook_id', '=', webhookId)
    .where('due_at', '>', now)
    .execute()
}

export async function updateDelivery(
  tx: Tx,
  id: Id<'delivery'>,
  change: Partial<Pick<DeliveryRow, 'state' | 'attempts' | 'attempt_count' | 'finished_at'>>,
): Promise<void> {
  await tx.updateTable('webhook_deliveries').set(change).where('id', '=', id).execute()
}

/** Gives up on pending deliveries: of one queue those from before a time, or all of the webhook. */
export async function failPending(
  tx: Tx,
  webhookId: Id<'webhook'>,
  { now, resource, createdUntil }: { now: number; resource?: string; createdUntil?: number },
): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', finished_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .$if(resource !== undefined, (query) => query.where('resource', '=', resource as string))
    .$if(createdUntil !== undefined, (query) => query.where('created_at', '<=', createdUntil as number))
    .execute()
}

export async function deleteQueuesOf(tx: Tx, webhookId: Id<'webhook'>): Promise<void> {
  await tx.deleteFrom('webhook_queues').where('webhook_id', '=', webhookId).execute()
}

/** When the next queue becomes due. */
export async function nextDueAt(db: Reader, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('webhook_queues')
    .select('due_at')
    .where('due_at', '>', now)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return row?.due_at ?? null
}

/** Another worker continues immediately. */
export async function releaseQueue(database: Database, claimed: ClaimedQueue): Promise<void> {
  const { queue, owner, webhook } = claimed
  await database.write(async (tx) => {
    // While it makes the one attempt at an endpoint that fails, a claim pauses the webhook. Locked before its queues.
    if (webhook.paused_until > 0 && (await isStillOurs(tx, claimed))) {
      await tx
        .updateTable('webhooks')
        .set({ paused_until: 0 })
        .where('id', '=', webhook.id)
        .where('paused_until', '=', webhook.paused_until)
        .execute()
    }
    await tx
      .updateTable('webhook_queues')
      .set({ lease_owner: null, lease_until: 0 })
      .where('webhook_id', '=', queue.webhook_id)
      .where('resource', '=', queue.resource)
      .where('lease_owner', '=', owner)
      .execute()
  })
}

/** Call only if no other process uses this database: the holder of any lease, or of the try of a paused endpoint, is gone. */
export async function endAllLeases(database: Database): Promise<void> {
  await database.write(async (tx) => {
    await tx
      .updateTable('webhooks')
      .set({ paused_until: 0 })
      .where('id', 'in', (from) =>
        from.selectFrom('webhook_queues').select('webhook_id').where('lease_owner', 'is not', null),
      )
      .execute()
    await tx
      .updateTable('webhook_queues')
      .set({ lease_until: 0, lease_owner: null })
      .where('lease_owner', 'is not', null)
      .execute()
  })
}
