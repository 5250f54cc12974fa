import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Finds due jobs behind those of an account that has its share from an index alone: it may have thousands. */
export function claimableCertificates() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql
        .raw(
          `create index certificate_jobs_claimable on certificate_jobs
             (priority, next_attempt_at, account_id, lease_until, lease_owner, name)
           where next_attempt_at is not null`,
        )
        .execute(db)
    },
  }
}
