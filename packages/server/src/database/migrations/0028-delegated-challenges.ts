import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** The label below `acme.{platform}` at which a dns-01 challenge is answered. Few rows have one, and all are read at once. */
export function delegatedChallenges(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of [
        `alter table acme_challenges add column label ${id}`,
        `create index acme_challenges_by_label on acme_challenges (label) where label is not null`,
      ]) {
        await sql.raw(statement).execute(db)
      }
    },
  }
}
