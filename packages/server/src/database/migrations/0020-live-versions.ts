import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** What older versions need to know about newer migrations, and which versions are running. */
export function liveVersions(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const statements = [
    `alter table migrations add column kind text`,
    `alter table migrations add column needs text`,
    `create table live_versions (
       id ${id} primary key, newest_migration text not null, seen_at bigint not null)`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
