import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** The operator key that nodes without a shared folder agree on. */
export function sharedOperatorKey(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const table = `create table operator_key (
    id ${id} primary key, sealed_key text not null, created_at bigint not null)`
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql.raw(table).execute(db)
    },
  }
}
