import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Whether browsers keep fingerprinted files for a year. On by default, for existing projects too. */
export function immutableAssets() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`alter table projects add column immutable_assets integer not null default 1`.execute(db)
    },
  }
}
