import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Secrets from before the previous one that still sign, for webhooks that are rotated twice in a day. */
export function olderWebhookSecrets() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`alter table webhooks add column sealed_older_secrets text`.execute(db)
    },
  }
}
