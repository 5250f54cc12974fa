import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/**
 * No references to domains: a certificate is for a name, no matter who owns it. Partial indexes find due work at the same
 * cost, however many certificates are not due.
 */
export function certificates(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      const statements = [
        `create table certificates (
           name ${id} primary key, issuer_kind text not null, issuer ${id} not null, serial text not null,
           chain text not null, sealed_key text not null, not_before bigint not null, not_after bigint not null,
           installed_at bigint not null, renew_at bigint not null, check_at bigint,
           ari_id text, ari_start bigint, ari_end bigint, ari_checked_at bigint)`,
        `create index certificates_due on certificates (check_at) where check_at is not null`,
        `create index certificates_by_issuer on certificates (issuer)`,
        `create table certificate_jobs (
           name ${id} primary key, reason text not null, issuer text, order_url text, sealed_key text,
           challenge_kind text not null, replaces text, attempts integer not null, rung integer not null,
           problem_kind text, last_error text, next_attempt_at bigint, asked_at bigint not null,
           lease_owner text, lease_until bigint not null, created_at bigint not null)`,
        `create index certificate_jobs_due on certificate_jobs (next_attempt_at)
           where next_attempt_at is not null`,
        `create table acme_challenges (
           token ${id} primary key, name ${id} not null, kind text not null, key_authorization text not null,
           expires_at bigint not null)`,
        `create index acme_challenges_by_name on acme_challenges (name)`,
        `create table acme_accounts (
           directory ${id} primary key, url text, sealed_key text not null, created_at bigint not null)`,
        `create table issuance_log (
           id ${id} primary key, directory ${id} not null, registered_domain ${id} not null, name ${id} not null,
           at bigint not null, outcome text not null, exempt integer not null)`,
        `create index issuance_log_by_account on issuance_log (directory, at)`,
        `create index issuance_log_by_domain on issuance_log (directory, registered_domain, at)`,
        `create index issuance_log_by_name on issuance_log (directory, name, at)`,
        `create index issuance_log_by_time on issuance_log (at)`,
        `create table internal_ca (
           id ${id} primary key, certificate text not null, sealed_key text not null, created_at bigint not null)`,
        `create table ticket_keys (id ${id} primary key, sealed_key text not null, created_at bigint not null)`,
        `create table master_key_check (id ${id} primary key, sealed text not null)`,
        `alter table domains add column probe text`,
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
