import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Off by default: browsers that have received HSTS cannot be made to forget it. */
export function strictTransport() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`alter table projects add column strict_transport integer not null default 0`.execute(db)
    },
  }
}
