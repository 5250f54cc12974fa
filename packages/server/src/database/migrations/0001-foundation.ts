import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

export function foundation(dialect: Dialect) {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements(dialect)) await sql.raw(statement).execute(db)
    },
  }
}

/** SQLite treats `bigint` as INTEGER. Text sorts by bytes in both databases, which makes ids sort by time. */
function statements(dialect: Dialect): string[] {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const sequence =
    dialect === 'postgres'
      ? 'bigint generated always as identity primary key'
      : 'integer primary key autoincrement'
  return [
    `create table accounts (
       id ${id} primary key, name text not null, plan text not null,
       limit_per_minute bigint, limit_per_day bigint, created_at bigint not null)`,
    `create table people (
       id ${id} primary key, email text not null unique, name text not null,
       password_hash text not null, operator integer not null, created_at bigint not null)`,
    `create table members (
       account_id ${id} not null references accounts on delete cascade,
       person_id ${id} not null references people on delete cascade,
       role text not null, joined_at bigint not null, primary key (account_id, person_id))`,
    `create index members_by_person on members (person_id)`,
    `create table sessions (
       token_hash text primary key,
       person_id ${id} not null references people on delete cascade,
       account_id ${id} not null references accounts on delete cascade,
       created_at bigint not null, expires_at bigint not null)`,
    `create index sessions_by_person on sessions (person_id)`,
    `create table setup_links (
       token_hash text primary key,
       account_id ${id} not null references accounts on delete cascade, created_at bigint not null)`,
    `create table invitations (
       id ${id} primary key, account_id ${id} not null references accounts on delete cascade,
       email text not null, role text not null, token_hash text not null unique, invited_by text not null,
       created_at bigint not null, expires_at bigint not null)`,
    `create index invitations_by_account on invitations (account_id, id)`,
    `create table keys (
       id ${id} primary key, account_id ${id} not null references accounts on delete cascade,
       person_id ${id} references people on delete cascade,
       name text not null, scopes text not null, secret_hash text not null unique, hint text not null,
       created_at bigint not null, expires_at bigint, last_used_at bigint)`,
    `create index keys_by_account on keys (account_id, id)`,
    `create table logins (
       code text primary key, secret_hash text not null unique, client text not null, address text not null,
       state text not null, account_id ${id} references accounts on delete cascade,
       person_id ${id} references people on delete cascade,
       created_at bigint not null, expires_at bigint not null)`,
    `create table attempts (subject text primary key, failures integer not null, last_at bigint not null)`,
    `create table projects (
       id ${id} primary key, account_id ${id} not null references accounts on delete cascade,
       slug text not null unique, name text not null, html_handling text not null,
       single_page integer not null, active_deployment_id ${id},
       created_at bigint not null, updated_at bigint not null)`,
    `create index projects_by_account on projects (account_id, id)`,
    `create table deployments (
       id ${id} primary key, account_id ${id} not null references accounts on delete cascade,
       project_id ${id} not null references projects on delete cascade,
       state text not null, files integer not null, bytes bigint not null, created_by text not null,
       created_at bigint not null, ready_at bigint, activated_at bigint, encoded_at bigint)`,
    `create index deployments_by_project on deployments (project_id, id)`,
    `create index deployments_by_account on deployments (account_id, id)`,
    `create index deployments_to_encode on deployments (id) where state = 'ready' and encoded_at is null`,
    `create table blobs (
       account_id ${id} not null references accounts on delete cascade, sha256 text not null,
       size bigint not null, encoded text, doomed_at bigint,
       primary key (account_id, sha256))`,
    `create table discarded_manifests (deployment_id ${id} primary key, account_id ${id} not null)`,
    `create index discarded_manifests_by_account on discarded_manifests (account_id)`,
    `create table events (
       id ${id} primary key, account_id ${id} not null references accounts on delete cascade,
       type text not null, actor_kind text not null, actor_id text, actor_name text not null,
       project_id text, data text not null, at bigint not null)`,
    `create index events_by_account on events (account_id, id)`,
    `create table changes (seq ${sequence}, kind text not null, subject text not null, at bigint not null)`,
    `create table idempotency (
       owner text not null, key text not null, fingerprint text not null, started_at bigint not null,
       answer text, primary key (owner, key))`,
  ]
}
