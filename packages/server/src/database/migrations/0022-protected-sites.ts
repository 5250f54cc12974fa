import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** Passwords of sites, the key that signs what visitors carry, and the tickets that were used already. */
export function protectedSites(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const statements = [
    `alter table projects add column protection text`,
    `create table site_key (id ${id} primary key, sealed_key text not null, created_at bigint not null)`,
    `create table used_tickets (id ${id} primary key, expires_at bigint not null)`,
    `create index used_tickets_by_expiry on used_tickets (expires_at)`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
