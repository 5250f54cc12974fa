import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Whether browsers are told to come by HTTPS alone. Off, because nobody can take it back from those who were told. */
export function strictTransport() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`alter table projects add column strict_transport integer not null default 0`.execute(db)
    },
  }
}
