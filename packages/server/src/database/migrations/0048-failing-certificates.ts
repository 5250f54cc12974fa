import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Counts certificates that fail, by reason, from an index alone: a CA that is down may stop them all. */
export function failingCertificates() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql
        .raw(
          `create index certificate_jobs_failing on certificate_jobs (problem_kind, reason, attempts)
           where problem_kind is not null`,
        )
        .execute(db)
    },
  }
}
