import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** The account and priority of each certificate job, and what remains of the CA's limits. */
export function orderBudget(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      const statements = [
        `alter table certificate_jobs add column generation bigint not null default 0`,
        `alter table certificate_jobs add column account_id ${id}`,
        `alter table certificate_jobs add column priority integer not null default 1`,
        `create index certificate_jobs_by_priority on certificate_jobs (priority, next_attempt_at)
           where next_attempt_at is not null`,
        `create index certificate_jobs_waiting on certificate_jobs (account_id, next_attempt_at)
           where problem_kind = 'budget'`,
        `alter table issuance_log add column account_id ${id}`,
        `create index issuance_log_by_owner on issuance_log (directory, account_id, at)`,
        `create table issuance_buckets (
           directory ${id} not null, bucket ${id} not null, full_at bigint not null, last_full_at bigint not null,
           primary key (directory, bucket))`,
        `create index issuance_buckets_by_time on issuance_buckets (full_at)`,
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
