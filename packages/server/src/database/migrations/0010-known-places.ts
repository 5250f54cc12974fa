import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/**
 * Networks that people signed in from, and who created each key and invitation, so that both can end with their
 * membership. Existing keys get their creator from the event of their creation.
 */
export function knownPlaces(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const keyOfEvent = dialect === 'postgres' ? `(e.data::json ->> 'keyId')` : `json_extract(e.data, '$.keyId')`
  const statements = [
    `create table known_networks (
       person_id ${id} not null references people on delete cascade,
       network text not null, last_at bigint not null, primary key (person_id, network))`,
    `alter table keys add column created_by_kind text`,
    `alter table keys add column created_by_id ${id}`,
    `alter table keys add column created_by_name text`,
    `alter table keys add column responsible_id ${id}`,
    `alter table invitations add column inviter_id ${id}`,
    `create table key_creations as
       select ${keyOfEvent} as key_id, e.actor_kind, e.actor_id, e.actor_name
       from events e where e.type = 'key.created'`,
    `create index key_creations_by_key on key_creations (key_id)`,
    ...['kind', 'id', 'name'].map(
      (part) =>
        `update keys set created_by_${part} =
           (select max(c.actor_${part}) from key_creations c where c.key_id = keys.id)`,
    ),
    `update keys set responsible_id = coalesce(person_id, case created_by_kind when 'person' then created_by_id end)`,
    `drop table key_creations`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
