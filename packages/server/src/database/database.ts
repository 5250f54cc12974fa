import { randomUUID } from 'node:crypto'
import { type Kysely, Kysely as KyselyDatabase, type PostgresPool, sql, type Transaction } from 'kysely'
import type { Client } from 'pg'
import { type Clock, second } from '../kernel/clock.ts'
import { CleanUps } from './clean-ups.ts'
import { isStorageBroken } from './database-errors.ts'
import { DeferredWrites } from './deferred-writes.ts'
import { type Announcing, keepAnnouncing } from './migrate/keep-announcing.ts'
import type { NodeSettings } from './migrate/live-versions.ts'
import { migrate } from './migrate/migrate.ts'
import type { Migration } from './migrate/migration.ts'
import { migrations as allMigrations } from './migrate/migration-list.ts'
import { type DatabaseLog, dedicatedClient, postgresDialect, postgresPool } from './postgres.ts'
import type { Dialect, Schema } from './schema.ts'
import { refuseLeftLog, sqliteDialect, withoutSync } from './sqlite.ts'
import { refuseUnfinishedCopy } from './unfinished-copy.ts'

export type Tx = Transaction<Schema>
/** Reads work inside and outside a transaction. */
export type Reader = Kysely<Schema>
/** Stores what a transaction has done, in that transaction. */
export type KeepResult<T> = (tx: Tx, result: T) => Promise<void>

export interface Database {
  readonly dialect: Dialect
  readonly read: Reader
  /** Runs `work` in one transaction, which is durable when the promise resolves. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * The same for what may be lost in a power failure, though not when the process is killed: counts, dates, and the
   * removal of what is old. On SQLite, the whole process would wait for the disk otherwise, visitors of sites included.
   */
  writeUnsynced<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** For writes that a request must not wait for or fail on. Only the latest per subject is written. */
  writeLater(subject: string, work: (tx: Tx) => Promise<void>): void
  /**
   * For writes that undo what a failed request has begun. If they fail too, because the database is away, they are made
   * again until it is back. Resolves after the first attempt.
   */
  cleanUp(work: (tx: Tx) => Promise<void>): Promise<void>
  /** False after a write that the disk refused, until one succeeds. */
  isWritable(): boolean
  /** Resolves when all deferred writes are done or dropped. */
  settled(): Promise<void>
  /** Runs at the end of every transaction of this process. */
  beforeCommit(listener: (tx: Tx) => Promise<void>): void
  /** Runs after every commit of this process, before `write` resolves. */
  afterCommit(listener: () => Promise<void>): void
  /**
   * Creates a client outside the pool, not connected yet, for LISTEN and for reads that must not wait for the pool.
   * Null for SQLite.
   */
  readonly dedicatedClient: (() => Client) | null
  /** Resolves if a newer version removes something that this one needs, and says what to do. */
  readonly outdated: Promise<string>
  /** Tells others what this server runs with. */
  describeNode(settings: NodeSettings): Promise<void>
  close(): Promise<void>
}

export type DatabaseLocation = { dialect: 'sqlite'; file: string } | { dialect: 'postgres'; url: string }

export interface DatabaseOptions {
  /** How long PostgreSQL may take for a statement before it cancels it. Without a reply it then counts as unreachable. */
  queryTimeout?: number
  /** Only for the command that finishes it. */
  acceptsUnfinishedCopy?: boolean
  /** What this version knows. */
  migrations?: readonly Migration[]
  /** Whether missing migrations run; otherwise the tables may be missing or older. */
  migrates?: boolean
  /** Connections to PostgreSQL to use instead of new ones. */
  pool?: PostgresPool
}

/** Opens the database and, unless told otherwise, runs missing migrations. */
export async function openDatabase(
  location: DatabaseLocation,
  log: DatabaseLog,
  {
    queryTimeout = 15 * second,
    acceptsUnfinishedCopy = false,
    migrations = allMigrations,
    migrates = true,
    pool,
  }: DatabaseOptions = {},
): Promise<Database> {
  if (location.dialect === 'sqlite') refuseLeftLog(location.file)
  // Migrations may take long, and other processes wait for them, so there is no timeout yet.
  let timeout: number | null = null
  const kysely = new KyselyDatabase<Schema>({
    dialect:
      location.dialect === 'sqlite'
        ? sqliteDialect(location.file)
        : postgresDialect(pool ?? postgresPool(location.url, log), () => timeout),
  })
  const migrating = { dialect: location.dialect, migrations, self: randomUUID(), log }
  let hasToWait = false
  try {
    if (migrates) {
      if (location.dialect === 'postgres' && !acceptsUnfinishedCopy) await refuseUnfinishedCopy(kysely)
      hasToWait = await migrate(kysely, migrating)
    }
  } catch (error) {
    await kysely.destroy()
    throw error
  }
  timeout = queryTimeout
  const announcing = migrates ? keepAnnouncing(kysely, { ...migrating, hasToWait }) : notAnnouncing
  const before: ((tx: Tx) => Promise<void>)[] = []
  const after: (() => Promise<void>)[] = []
  async function writeOn<T>(db: Reader, work: (tx: Tx) => Promise<T>): Promise<T> {
    return db.transaction().execute(async (tx) => {
      const done = await work(tx)
      for (const listener of before) await listener(tx)
      return done
    })
  }
  let isWritable = true
  async function settle<T>(writing: Promise<T>): Promise<T> {
    const result = await writing.catch((error: unknown) => {
      if (isStorageBroken(error)) isWritable = false
      throw error
    })
    isWritable = true
    for (const listener of after) await listener()
    return result
  }
  const write: Database['write'] = (work) => settle(writeOn(kysely, work))
  const writeUnsynced: Database['write'] =
    location.dialect === 'postgres'
      ? write
      : (work) => settle(kysely.connection().execute((db) => withoutSync(db, () => writeOn(db, work))))
  const deferred = new DeferredWrites(writeUnsynced, (error) =>
    log.warn({ err: error }, 'cannot write last uses; requests continue'),
  )
  const cleanUps = new CleanUps(write)
  return {
    dialect: location.dialect,
    read: kysely,
    write,
    writeUnsynced,
    writeLater: (subject, work) => deferred.add(subject, work),
    cleanUp: (work) => cleanUps.run(work),
    isWritable: () => isWritable,
    settled: () => deferred.settled(),
    beforeCommit: (listener) => before.push(listener),
    afterCommit: (listener) => after.push(listener),
    dedicatedClient: location.dialect === 'sqlite' ? null : () => dedicatedClient(location.url, queryTimeout),
    outdated: announcing.outdated,
    describeNode: announcing.describe,
    async close() {
      cleanUps.close()
      await deferred.close()
      await announcing.stop()
      await kysely.destroy()
    },
  }
}

/** For those who only look. */
const notAnnouncing: Announcing = {
  outdated: Promise.withResolvers<string>().promise,
  describe: async () => {},
  stop: async () => {},
}

/** Serializes writers by name until the transaction ends. SQLite only has one writer at a time anyway. */
export async function lock(database: Pick<Database, 'dialect'>, tx: Tx, name: string): Promise<void> {
  if (database.dialect === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/** Passed to every feature. */
export interface Context {
  database: Database
  now: Clock
}
