import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** Where this database has its files, by an id that is stored with them too. */
export function fileStore(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const table = `create table file_store (
    id ${id} primary key, store_id text not null, written_at bigint)`
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql.raw(table).execute(db)
    },
  }
}
