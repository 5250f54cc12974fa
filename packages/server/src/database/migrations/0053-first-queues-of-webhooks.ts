import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Finds the queues of a webhook that have waited longest without reading the others. */
export function firstQueuesOfWebhooks() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql
        .raw('create index webhook_queues_of_webhook on webhook_queues (webhook_id, due_at, resource)')
        .execute(db)
    },
  }
}
