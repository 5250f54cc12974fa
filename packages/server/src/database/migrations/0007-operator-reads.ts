import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Indexes for the operator's pages: on SQLite, full table scans would block every request. */
export function operatorReads() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`create index certificates_by_expiry on certificates (not_after, name)`.execute(db)
      await sql`create index domains_by_state on domains (state)`.execute(db)
    },
  }
}
