import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** Pipelines that can deploy without a stored key, and keys that are limited to one project. */
export function trustedPublishers(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const statements = [
    `create table trusted_publishers (
       id ${id} primary key, account_id ${id} not null references accounts on delete cascade,
       project_id ${id} not null references projects on delete cascade,
       issuer text not null, claims text not null,
       created_at bigint not null, created_by text not null, last_used_at bigint)`,
    `create index trusted_publishers_by_account on trusted_publishers (account_id, id)`,
    `create index trusted_publishers_by_project on trusted_publishers (project_id)`,
    `create table exchanged_tokens (id ${id} primary key, expires_at bigint not null)`,
    `create index exchanged_tokens_by_expiry on exchanged_tokens (expires_at)`,
    `alter table keys add column project_id ${id}`,
    `alter table keys add column publisher_id ${id}`,
    `create index keys_by_project on keys (project_id) where project_id is not null`,
    `create index keys_by_publisher on keys (publisher_id, expires_at) where publisher_id is not null`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
