import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/**
 * Many accounts can claim a name, but only one holds it: the unique index `domains_held` guarantees that, even between
 * two processes.
 */
export function domains(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      const statements = [
        `create table domains (
           id ${id} primary key,
           account_id ${id} not null references accounts (id) on delete cascade,
           project_id ${id} not null references projects (id) on delete cascade,
           hostname ${id} not null, kind text not null, state text not null, state_before text,
           held integer not null, target text not null unique, challenge text not null,
           created_at bigint not null, verified_at bigint, live_at bigint,
           searching_since bigint not null, asked_at bigint not null, state_since bigint not null,
           next_check_at bigint, lease_owner text, lease_until bigint not null,
           last_check text)`,
        `create unique index domains_of_account on domains (account_id, hostname)`,
        `create unique index domains_held on domains (hostname) where held = 1`,
        `create index domains_by_hostname on domains (hostname)`,
        `create index domains_of_project on domains (project_id, hostname)`,
        `create index domains_due on domains (next_check_at) where next_check_at is not null`,
        `create table domain_tombstones (
           hostname ${id} not null, account_id ${id} not null, target text not null, challenge text not null,
           held_at bigint, removed_at bigint not null, primary key (hostname, account_id))`,
        `create table domain_configs (
           project_id ${id} primary key references projects (id) on delete cascade,
           primary_domain text, redirects text not null, updated_at bigint not null)`,
        `create table domain_timeline (
           id ${id} primary key, domain_id ${id} not null references domains (id) on delete cascade,
           kind text not null, at bigint not null, last_at bigint not null, times integer not null,
           actor_kind text not null, actor_id text, actor_name text not null,
           fingerprint text, check_result text, data text not null)`,
        `create index timeline_of_domain on domain_timeline (domain_id, id)`,
        `create index timeline_by_time on domain_timeline (last_at)`,
        `create table lab_records (
           name ${id} not null, type text not null, value_list text not null, ttl integer not null,
           primary key (name, type))`,
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
