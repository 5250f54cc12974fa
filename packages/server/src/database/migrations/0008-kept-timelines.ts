import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/**
 * An account can read the timeline of a hostname even after removing the domain, so it refers to both instead of to the
 * domain. Indexes tombstones by account, to limit how many an account can have.
 */
export function keptTimelines(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const same = `kind, at, last_at, times, actor_kind, actor_id, actor_name, fingerprint, check_result, data`
  const statements = [
    `create table kept_timeline (
       id ${id} primary key,
       account_id ${id} not null references accounts (id) on delete cascade, hostname ${id} not null,
       removed integer not null, kind text not null, at bigint not null, last_at bigint not null,
       times integer not null, actor_kind text not null, actor_id text, actor_name text not null,
       fingerprint text, check_result text, data text not null)`,
    `insert into kept_timeline (id, account_id, hostname, removed, ${same})
       select t.id, d.account_id, d.hostname, 0, ${same.replaceAll(/\w+/g, 't.$&')}
       from domain_timeline t join domains d on d.id = t.domain_id`,
    `drop table domain_timeline`,
    `alter table kept_timeline rename to domain_timeline`,
    `create index timeline_of_name on domain_timeline (account_id, hostname, id)`,
    `create index timeline_by_time on domain_timeline (last_at)`,
    `create index timeline_of_removed on domain_timeline (account_id, id) where removed = 1`,
    `create index tombstones_unproved on domain_tombstones (account_id, removed_at) where held_at is null`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
