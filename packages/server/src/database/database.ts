import {
  type Kysely,
  Kysely as KyselyDatabase,
  PostgresAdapter,
  PostgresDialect,
  sql,
  type Transaction,
} from 'kysely'
import { Client, Pool, types } from 'pg'
import type { Dialect } from './dialect.ts'
import { migrate } from './migrate.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-driver.ts'

export type Tx = Transaction<Schema>
/** Reads work inside and outside a transaction. */
export type Reader = Kysely<Schema>

export interface Database {
  readonly dialect: Dialect
  readonly read: Reader
  /** Runs `work` in one transaction. What it did is durable when the promise resolves. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Called, and awaited, as the last thing of every transaction of this process. */
  beforeCommit(listener: (tx: Tx) => Promise<void>): void
  /** Called, and awaited, after every commit of this process, before `write` resolves. */
  afterCommit(listener: () => Promise<void>): void
  /** Makes a client beside the pool, not yet connected, to be told things by; null where nobody tells (SQLite). */
  readonly dedicatedClient: (() => Client) | null
  close(): Promise<void>
}

export type DatabaseLocation = { dialect: 'sqlite'; file: string } | { dialect: 'postgres'; url: string }

/** Opens the database and brings its tables up to date. */
export async function openDatabase(location: DatabaseLocation, log: DatabaseLog): Promise<Database> {
  const kysely = new KyselyDatabase<Schema>({
    dialect:
      location.dialect === 'sqlite' ? sqliteDialect(location.file) : postgresDialect(location.url, log),
  })
  try {
    await migrate(kysely, location.dialect)
  } catch (error) {
    await kysely.destroy()
    throw error
  }
  const before: ((tx: Tx) => Promise<void>)[] = []
  const after: (() => Promise<void>)[] = []
  return {
    dialect: location.dialect,
    read: kysely,
    async write(work) {
      const result = await kysely.transaction().execute(async (tx) => {
        const done = await work(tx)
        for (const listener of before) await listener(tx)
        return done
      })
      for (const listener of after) await listener()
      return result
    },
    beforeCommit: (listener) => before.push(listener),
    afterCommit: (listener) => after.push(listener),
    dedicatedClient: location.dialect === 'sqlite' ? null : () => dedicatedClient(location.url),
    close: () => kysely.destroy(),
  }
}

export interface DatabaseLog {
  warn(details: object, message: string): void
}

/**
 * Serialises the writers that decide over the same thing. SQLite has one writer at a time as it is;
 * PostgreSQL gets a lock by name that ends with the transaction.
 */
export async function lock(database: Pick<Database, 'dialect'>, tx: Tx, name: string): Promise<void> {
  if (database.dialect === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

const connectTimeout = 5_000

function postgresDialect(url: string, log: DatabaseLog): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: connectTimeout,
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format),
    },
  })
  // A connection that breaks (the server restarts) is replaced by the pool; unheard, it would end the process. The
  // pool hears of idle ones only.
  const lost = (error: Error) => log.warn({ err: error }, 'a PostgreSQL connection was lost')
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', lost))
  return new LockedByUsDialect({ pool })
}

/** It waits for notifications for hours: keepalive finds out that nobody is left to send one. */
function dedicatedClient(url: string): Client {
  return new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
}

/** Migrations run under our own lock. To release Kysely's fails after a failed migration, and would hide why. */
class LockedByUsDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new LockedByUsAdapter()
  }
}

class LockedByUsAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
