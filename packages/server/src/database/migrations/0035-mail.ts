import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/** Events that owners of accounts hear about by email. */
export function mail(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const statements = [
    `create table notices (
       event_id ${id} not null, person_id ${id} not null references people on delete cascade,
       account_id ${id} not null references accounts on delete cascade, created_at bigint not null,
       primary key (person_id, event_id))`,
    `create index notices_by_age on notices (created_at)`,
    `create index notices_by_account on notices (account_id)`,
    `create table notice_queues (
       person_id ${id} primary key references people on delete cascade,
       due_at bigint not null, lease_owner text, lease_until bigint not null)`,
    `create index notice_queues_due on notice_queues (due_at)`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
