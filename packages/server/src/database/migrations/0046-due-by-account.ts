import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

const due = '(account_id, next_check_at) where next_check_at is not null'
const statements = [
  `create index domains_due_by_account on domains ${due}`,
  `create index domain_proofs_due_by_account on domain_proofs ${due}`,
]

/** Finds what is due of one account without reading what is due of others. */
export function dueByAccount() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
