import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

const statements = [
  `create index deployments_uploading on deployments (created_at) where state = 'uploading'`,
  `create index sessions_by_expiry on sessions (expires_at)`,
  `create index attempts_by_time on attempts (last_at)`,
  `create index logins_by_expiry on logins (expires_at)`,
  `create index idempotency_by_start on idempotency (started_at)`,
  `create index tombstones_unproved_by_time on domain_tombstones (removed_at) where held_at is null`,
]

/** Finds what has expired without reading whole tables: on SQLite, that would block every request. */
export function expiryIndexes() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
