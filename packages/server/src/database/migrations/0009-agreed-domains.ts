import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** The most domains of a project that were agreed with an account. Null, as before: any number. */
export function agreedDomains() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`alter table accounts add column limit_domains bigint`.execute(db)
    },
  }
}
