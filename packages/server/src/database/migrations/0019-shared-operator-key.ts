import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** The operator key that nodes without a shared folder agree on. */
export function sharedOperatorKey() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`
        create table operator_key (
          id text primary key, sealed_key text not null, created_at bigint not null)`.execute(db)
    },
  }
}
