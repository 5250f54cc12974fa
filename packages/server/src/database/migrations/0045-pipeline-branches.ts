import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** The branch that a pipeline's key can go live from. Keys of older versions have none, and last ten minutes. */
export function pipelineBranches() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql.raw('alter table keys add column live_branch text').execute(db)
    },
  }
}
