import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** The wildcards below a domain, which a proof of it concerns. */
export function wildcards() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`create index domains_wildcards on domains (registrable) where kind = 'wildcard'`.execute(db)
    },
  }
}
