import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** No foreign keys to accounts or keys: counts are written in batches, and one late row must not fail them all. */
export function limits(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      const statements = [
        `create table request_counts (
           account_id ${id} not null, unit text not null, start bigint not null, requests bigint not null,
           primary key (account_id, unit, start))`,
        `create index request_counts_by_start on request_counts (unit, start)`,
        `create table bans (
           key_id ${id} primary key, account_id ${id} not null, since bigint not null, until bigint not null,
           step integer not null, violations bigint not null)`,
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
