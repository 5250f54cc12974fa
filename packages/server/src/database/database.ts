import { type Kysely, Kysely as KyselyDatabase, sql, type Transaction } from 'kysely'
import type { Client } from 'pg'
import { type Clock, second } from '../kernel/clock.ts'
import { DeferredWrites } from './deferred-writes.ts'
import { migrate } from './migrate.ts'
import { type DatabaseLog, dedicatedClient, postgresDialect } from './postgres.ts'
import type { Dialect, Schema } from './schema.ts'
import { sqliteDialect } from './sqlite.ts'

export type Tx = Transaction<Schema>
/** Reads work inside and outside a transaction. */
export type Reader = Kysely<Schema>

export interface Database {
  readonly dialect: Dialect
  readonly read: Reader
  /** Runs `work` in one transaction. What it did is durable when the promise resolves. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** For what a request must neither wait for nor fail by; of each subject only the latest is written. */
  writeLater(subject: string, work: (tx: Tx) => Promise<void>): void
  /** Resolves when everything that was to be written later is written, or given up. */
  settled(): Promise<void>
  /** Called, and awaited, as the last thing of every transaction of this process. */
  beforeCommit(listener: (tx: Tx) => Promise<void>): void
  /** Called, and awaited, after every commit of this process, before `write` resolves. */
  afterCommit(listener: () => Promise<void>): void
  /**
   * Makes a client beside the pool, not yet connected, to be told things by and to ask without a wait for one's turn;
   * null where nobody tells (SQLite).
   */
  readonly dedicatedClient: (() => Client) | null
  close(): Promise<void>
}

export type DatabaseLocation = { dialect: 'sqlite'; file: string } | { dialect: 'postgres'; url: string }

export interface DatabaseOptions {
  /** How long PostgreSQL may take for a query before it counts as out of reach. */
  longestSilence?: number
}

/** Opens the database and brings its tables up to date. */
export async function openDatabase(
  location: DatabaseLocation,
  log: DatabaseLog,
  { longestSilence = 15 * second }: DatabaseOptions = {},
): Promise<Database> {
  // A migration may take long, and whoever waits for another process to be done with it hears nothing.
  let patience: number | null = null
  const kysely = new KyselyDatabase<Schema>({
    dialect:
      location.dialect === 'sqlite'
        ? sqliteDialect(location.file)
        : postgresDialect(location.url, log, () => patience),
  })
  try {
    await migrate(kysely, location.dialect)
  } catch (error) {
    await kysely.destroy()
    throw error
  }
  patience = longestSilence
  const before: ((tx: Tx) => Promise<void>)[] = []
  const after: (() => Promise<void>)[] = []
  async function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await kysely.transaction().execute(async (tx) => {
      const done = await work(tx)
      for (const listener of before) await listener(tx)
      return done
    })
    for (const listener of after) await listener()
    return result
  }
  const deferred = new DeferredWrites(write, (error) =>
    log.warn({ err: error }, 'last uses cannot be written; requests go on'),
  )
  return {
    dialect: location.dialect,
    read: kysely,
    write,
    writeLater: (subject, work) => deferred.add(subject, work),
    settled: () => deferred.settled(),
    beforeCommit: (listener) => before.push(listener),
    afterCommit: (listener) => after.push(listener),
    dedicatedClient: location.dialect === 'sqlite' ? null : () => dedicatedClient(location.url),
    async close() {
      await deferred.close()
      await kysely.destroy()
    },
  }
}

/**
 * Serialises the writers that decide over the same thing. SQLite has one writer at a time as it is;
 * PostgreSQL gets a lock by name that ends with the transaction.
 */
export async function lock(database: Pick<Database, 'dialect'>, tx: Tx, name: string): Promise<void> {
  if (database.dialect === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/** What every feature is given. */
export interface Context {
  database: Database
  now: Clock
}
