import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Dialect } from './dialect.ts'
import { foundation } from './migrations/0001-foundation.ts'
import type { Schema } from './schema.ts'

/**
 * Brings the tables up to date in one transaction, all or nothing. Processes that start together wait for each
 * other: SQLite's transaction is the lock, PostgreSQL gets one by number before the first table is looked at.
 */
export async function migrate(kysely: Kysely<Schema>, dialect: Dialect): Promise<void> {
  await kysely.transaction().execute(async (tx) => {
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx)
    const migrator = new Migrator({
      db: tx,
      provider: { getMigrations: async () => ({ '0001-foundation': foundation(dialect) }) },
    })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
  })
}

const migrationLock = 6_278_437_001
