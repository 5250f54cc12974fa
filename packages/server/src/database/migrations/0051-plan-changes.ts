import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** Changes of plan that have not reached all domains of the account. */
export function planChanges(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql
        .raw(
          `create table unfinished_plan_changes (
             account_id ${id} primary key references accounts on delete cascade,
             actor_kind text not null, actor_id text, actor_name text not null)`,
        )
        .execute(db)
    },
  }
}
