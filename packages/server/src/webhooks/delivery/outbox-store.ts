import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Selectable } from 'kysely'
import type { Database, Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import type { WebhookRow } from '../store.ts'

export type OutboxEvent = Selectable<Schema['events']>

/** Every commit makes workers look, so this is one query: whether events wait, and when the first queue is due. */
export async function waitingWork(db: Reader): Promise<{ hasEvents: boolean; dueAt: number | null }> {
  const { seq, dueAt } = await db
    .selectNoFrom((from) => [
      from.selectFrom('webhook_outbox').select('seq').limit(1).as('seq'),
      from.selectFrom('webhook_queues').select('due_at').orderBy('due_at').limit(1).as('dueAt'),
    ])
    .executeTakeFirstOrThrow()
  return { hasEvents: seq !== null, dueAt }
}

/** The oldest events, which are then no longer in the outbox. */
export async function takeEvents(tx: Tx, most: number): Promise<OutboxEvent[]> {
  const taken = await tx.selectFrom('webhook_outbox').selectAll().orderBy('seq').limit(most).execute()
  if (taken.length === 0) return []
  const column = <T>(value: (row: (typeof taken)[number]) => T) => taken.map(value)
  await tx
    .deleteFrom('webhook_outbox')
    .where(
      'seq',
      'in',
      column(({ seq }) => seq),
    )
    .execute()
  const events = await tx
    .selectFrom('events')
    .selectAll()
    .where(
      'id',
      'in',
      column(({ event_id }) => event_id),
    )
    .execute()
  const byId = new Map(events.map((event) => [event.id, event]))
  return taken.flatMap(({ event_id }) => byId.get(event_id) ?? [])
}

/** The enabled webhooks of these accounts, locked until the end of the transaction. */
export function lockWebhooksOf(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  accounts: readonly Id<'account'>[],
): Promise<WebhookRow[]> {
  const rows = tx
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', 'in', accounts)
    .where('disabled_at', 'is', null)
    .orderBy('id')
  return (dialect === 'postgres' ? rows.forUpdate() : rows).execute()
}
