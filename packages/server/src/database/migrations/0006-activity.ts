import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/**
 * Indexes events by kind and project, including those written by older versions. Indexes changes by time, because every
 * account's activity is reported through them, and each insert deletes old ones.
 */
export function activity(dialect: Dialect) {
  const kind =
    dialect === 'sqlite'
      ? `(substr(type, 1, instr(type, '.') - 1)) virtual`
      : `(split_part(type, '.', 1)) stored`
  const statements = [
    `alter table events add column kind text generated always as ${kind}`,
    `create index events_by_kind on events (account_id, kind, id)`,
    `create index events_by_project on events (account_id, project_id, id)`,
    `create index changes_by_time on changes (at)`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
