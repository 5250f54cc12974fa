import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Lists the projects of an account by last change without reading all of them. */
export function projectsByChange() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      await sql`create index projects_by_change on projects (account_id, updated_at, id)`.execute(db)
    },
  }
}
