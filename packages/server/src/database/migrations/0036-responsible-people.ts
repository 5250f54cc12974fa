import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/**
 * Who is responsible for each trusted publisher and webhook, so that both can end with their membership. Existing ones
 * get the person who created them, or who is responsible for the key that did; null: unknown.
 */
export function responsiblePeople(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const read = (event: string, name: string) =>
    dialect === 'postgres'
      ? `(${event}.data::json ->> '${name}')`
      : `json_extract(${event}.data, '$.${name}')`
  const personOfKey = `coalesce(
    (select k.responsible_id from keys k where k.id = e.actor_id),
    (select max(c.actor_id) from events c
       where c.account_id = e.account_id and c.kind = 'key' and c.type = 'key.created'
         and c.actor_kind = 'person' and ${read('c', 'keyId')} = e.actor_id))`
  const creator = (table: string, type: string, name: string) =>
    `(select max(case e.actor_kind when 'person' then e.actor_id when 'key' then ${personOfKey} end)
        from events e
        where e.account_id = ${table}.account_id and e.kind = '${type.split('.')[0]}' and e.type = '${type}'
          and ${read('e', name)} = ${table}.id)`
  const statements = [
    `alter table trusted_publishers add column responsible_id ${id}`,
    `alter table webhooks add column responsible_id ${id}`,
    `update trusted_publishers
       set responsible_id = ${creator('trusted_publishers', 'publisher.added', 'publisherId')}`,
    `update webhooks set responsible_id = ${creator('webhooks', 'webhook.created', 'webhookId')}`,
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
