import { type Kysely, sql } from 'kysely'
import { OperatorError } from '../kernel/process-lifetime.ts'
import { foundation } from './migrations/0001-foundation.ts'
import { limits } from './migrations/0002-limits.ts'
import { domains } from './migrations/0003-domains.ts'
import { certificates } from './migrations/0004-certificates.ts'
import { strictTransport } from './migrations/0005-strict-transport.ts'
import { activity } from './migrations/0006-activity.ts'
import { operatorReads } from './migrations/0007-operator-reads.ts'
import { keptTimelines } from './migrations/0008-kept-timelines.ts'
import { agreedDomains } from './migrations/0009-agreed-domains.ts'
import { knownPlaces } from './migrations/0010-known-places.ts'
import { orderBudget } from './migrations/0011-order-budget.ts'
import { publishingLimits } from './migrations/0012-publishing-limits.ts'
import { names } from './migrations/0013-names.ts'
import { people } from './migrations/0017-people.ts'
import { projectsByChange } from './migrations/0018-projects-by-change.ts'
import { sharedOperatorKey } from './migrations/0019-shared-operator-key.ts'
import type { Dialect, Schema } from './schema.ts'

/** In order. Names are stored in the database, so they never change. */
const migrations = {
  '0001-foundation': foundation,
  '0002-limits': limits,
  '0003-domains': domains,
  '0004-certificates': certificates,
  '0005-strict-transport': strictTransport,
  '0006-activity': activity,
  '0007-operator-reads': operatorReads,
  '0008-kept-timelines': keptTimelines,
  '0009-agreed-domains': agreedDomains,
  '0010-known-places': knownPlaces,
  '0011-order-budget': orderBudget,
  '0012-publishing-limits': publishingLimits,
  '0013-names': names,
  '0017-people': people,
  '0018-projects-by-change': projectsByChange,
  '0019-shared-operator-key': sharedOperatorKey,
}

/**
 * Runs missing migrations in one transaction, all or nothing. Processes that start together wait for each other: for
 * SQLite's transaction, or for an advisory lock in PostgreSQL.
 */
export async function migrate(kysely: Kysely<Schema>, dialect: Dialect): Promise<void> {
  await kysely.transaction().execute(async (tx) => {
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx)
    await sql`create table if not exists migrations (name text primary key, at bigint not null)`.execute(tx)
    const { rows } = await sql<{ name: string }>`select name from migrations`.execute(tx)
    const done = new Set(rows.map(({ name }) => name))
    const unknown = [...done].filter((name) => !Object.hasOwn(migrations, name))
    if (unknown.length > 0) {
      throw new OperatorError(
        `The database was created by a newer version of Masthead (${unknown.join(', ')}). Update this server.`,
      )
    }
    for (const [name, migration] of Object.entries(migrations)) {
      if (done.has(name)) continue
      await migration(dialect).up(tx)
      await sql`insert into migrations (name, at) values (${name}, ${Date.now()})`.execute(tx)
    }
  })
}

const migrationLock = 6_278_437_001
