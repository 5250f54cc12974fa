import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** The proxy or CDN that a domain is marked as being behind; null: none. */
export function proxiedDomains() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`alter table domains add column proxy text`.execute(db)
    },
  }
}
