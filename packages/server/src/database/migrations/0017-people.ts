import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/**
 * Sessions get an id and record where they were last used, and may belong to a person without an account. Adds password
 * reset links, suspended and deleted accounts, and sites that were taken down.
 */
export function people(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const statements = [
    `alter table sessions add column id ${id}`,
    `alter table sessions add column last_seen_at bigint`,
    `alter table sessions add column address text`,
    `alter table sessions add column browser text`,
    `update sessions set id = ${sessionId(dialect)}, last_seen_at = created_at`,
    `create unique index sessions_by_id on sessions (id)`,
    `create table password_resets (
       person_id ${id} primary key references people on delete cascade,
       token_hash text not null unique,
       account_id ${id} references accounts on delete cascade,
       created_at bigint not null, expires_at bigint not null)`,
    `alter table accounts add column suspended_at bigint`,
    `alter table accounts add column suspended_reason text`,
    `alter table accounts add column deleted_at bigint`,
    `create index accounts_deleted on accounts (deleted_at) where deleted_at is not null`,
    `alter table projects add column takedown_at bigint`,
    `alter table projects add column takedown_reason text`,
    `alter table projects add column takedown_status integer`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      if (dialect === 'postgres') {
        await sql`alter table sessions alter column account_id drop not null`.execute(db)
      } else await letSessionsHaveNoAccount(db)
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}

/** Random, with the alphabet of every id; existing sessions do not sort by time. */
function sessionId(dialect: Dialect): string {
  const random = dialect === 'postgres' ? `md5(random()::text || token_hash)` : `lower(hex(randomblob(10)))`
  return `'ses_' || substr(${random}, 1, 20)`
}

/** SQLite cannot change a column, so the table is rebuilt with its current columns. */
async function letSessionsHaveNoAccount(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_master where name = 'sessions' or (tbl_name = 'sessions' and type = 'index' and sql is not null)
    order by type desc`.execute(db)
  const [table, ...indexes] = rows.map((row) => row.sql)
  if (table === undefined) throw new Error('There is no table of sessions')
  await sql`alter table sessions rename to sessions_before`.execute(db)
  await sql.raw(table.replace(/(account_id text) not null/i, '$1')).execute(db)
  await sql`insert into sessions select * from sessions_before`.execute(db)
  await sql`drop table sessions_before`.execute(db)
  for (const index of indexes) await sql.raw(index).execute(db)
}
