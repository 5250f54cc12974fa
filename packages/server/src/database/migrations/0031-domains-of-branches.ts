import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** The branch that a domain shows; null: what is live. */
export function domainsOfBranches() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`alter table domains add column branch text`.execute(db)
    },
  }
}
