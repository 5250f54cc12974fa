import { type Kysely, sql } from 'kysely'
import { getDomain } from 'tldts'
import type { Dialect, Schema } from '../schema.ts'

const batch = 5_000

/**
 * How an apex was proved, and the deadline for it; the registrable domain of each name, to find the names of one zone;
 * and released slugs, reserved for the account that had them.
 */
export function names(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      const statements = [
        `alter table domains add column proof text`,
        `alter table domains add column proof_due_at bigint`,
        `alter table domains add column proof_noticed_at bigint`,
        `alter table domains add column registrable ${id}`,
        `alter table domain_tombstones drop column challenge`,
        `create table released_slugs (
           slug ${id} primary key, account_id ${id} not null, released_at bigint not null)`,
        `create index released_slugs_by_time on released_slugs (released_at)`,
        `create index released_slugs_of_account on released_slugs (account_id, released_at)`,
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
      await fillRegistrable(db)
      await sql`create index domains_of_registrable on domains (account_id, registrable)`.execute(db)
    },
  }
}

async function fillRegistrable(db: Kysely<Schema>): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('domains')
      .select(['id', 'hostname'])
      .where('id', '>', after as `dom_${string}`)
      .orderBy('id')
      .limit(batch)
      .execute()
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
    const values = rows.map(({ id, hostname }) => {
      return sql`(${id}, ${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname})`
    })
    // Both databases name the columns of a VALUES list like this.
    await sql`update domains set registrable = listed.column2
      from (values ${sql.join(values)}) as listed where domains.id = listed.column1`.execute(db)
  }
}
