import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Custom limit on domains per project. Null, as before: unlimited. */
export function agreedDomains() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`alter table accounts add column limit_domains bigint`.execute(db)
    },
  }
}
