import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** Proofs of whole domains: one row per account and domain, and at most one that stands per domain. */
export function accountProofs(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const statements = [
    `create table domain_proofs (
       account_id ${id} not null references accounts on delete cascade, domain ${id} not null,
       state text not null, stands integer not null, token text not null, created_at bigint not null,
       proved_at bigint, seen_at bigint, state_since bigint not null, next_check_at bigint,
       lease_until bigint not null, last_check text, primary key (account_id, domain))`,
    `create unique index domain_proofs_stand on domain_proofs (domain) where stands = 1`,
    `create index domain_proofs_of_domain on domain_proofs (domain)`,
    `create index domain_proofs_due on domain_proofs (next_check_at) where next_check_at is not null`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
