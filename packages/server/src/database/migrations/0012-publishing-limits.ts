import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/**
 * Files that a deployment leaves out, and its diagnostics; what an account stores, and the space its uploads reserve;
 * compression in two levels, with a lease and backoff per deployment.
 */
export function publishingLimits(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      const statements = [
        `alter table accounts add column limit_storage bigint`,
        `alter table deployments add column left_out text`,
        `alter table deployments add column diagnostics text`,
        `alter table deployments add column manifest_bytes bigint not null default 0`,
        `alter table deployments add column reserved_bytes bigint not null default 0`,
        `alter table deployments add column quick_encoded_at bigint`,
        `alter table deployments add column encode_failures integer not null default 0`,
        `alter table deployments add column encode_due_at bigint not null default 0`,
        `alter table deployments add column encode_lease_until bigint not null default 0`,
        `alter table discarded_manifests add column bytes bigint not null default 0`,
        `alter table blobs add column encoded_best integer not null default 0`,
        `update blobs set encoded_best = 1 where encoded is not null`,
        `create table storage (account_id ${id} primary key, bytes bigint not null)`,
        `insert into storage (account_id, bytes) select account_id, sum(size) from blobs group by account_id`,
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
