import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Whether a deployment shall go live, as asked when it was created: null if nothing was asked, or by older versions. */
export function askedActivation() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql.raw('alter table deployments add column activate integer').execute(db)
    },
  }
}
