import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** The id of the installation, which its backups and restored copies share. */
export function installation(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const table = `create table installation (id ${id} primary key, created_at bigint not null)`
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql.raw(table).execute(db)
    },
  }
}
