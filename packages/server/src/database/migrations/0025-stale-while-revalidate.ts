import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** For how many seconds browsers may show what they have while they ask for a new version. */
export function staleWhileRevalidate() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`alter table projects add column stale_while_revalidate integer not null default 0`.execute(db)
    },
  }
}
