import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** Certificates that accounts upload, and which authorities were passed over for the others. */
export function ownCertificates(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const statements = [
    `create table own_certificates (
       domain_id ${id} primary key references domains (id) on delete cascade, chain text not null,
       sealed_key text not null, serial text not null, issuer_title text not null, names text not null,
       trusted integer not null, not_before bigint not null, not_after bigint not null,
       uploaded_at bigint not null, warn_at bigint)`,
    `create index own_certificates_to_warn on own_certificates (warn_at) where warn_at is not null`,
    `alter table certificates add column issuer_title text`,
    `alter table certificates add column passed_over text`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
