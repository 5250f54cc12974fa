import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** What nodes must agree on, as JSON: null for commands and for older versions. */
export function runningNodes() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql.raw('alter table live_versions add column settings text').execute(db)
    },
  }
}
