import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { keptConnection } from '@masthead/testing/peers/postgres-databases/copied-database.ts'
import { postgresDatabase } from '@masthead/testing/peers/postgres-databases/pool.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { type PostgresPool, sql } from 'kysely'
import type { Pool } from 'pg'
import { type Database, type DatabaseLocation, openDatabase } from './database.ts'
import { postgresPool } from './postgres.ts'
import type { Dialect } from './schema.ts'

type TestLocation = DatabaseLocation & AsyncDisposable

export interface DatabaseUnderTest {
  dialect: Dialect
  /** A location without any tables. */
  emptyLocation(): Promise<TestLocation>
  /** A location with all tables and no rows. */
  location(): Promise<TestLocation>
  /** An empty database with its tables, closed and removed at the end of the test's scope. */
  open(): Promise<Database & AsyncDisposable>
}

const silent = { warn: () => {} }
/** Nothing is left to migrate in a copy, and no other version runs on it. */
const migrated = { migrates: false }

/** Runs the same tests on SQLite and on PostgreSQL. */
export function onEachDatabase(name: string, tests: (database: DatabaseUnderTest) => void): void {
  const databases: DatabaseUnderTest[] = [
    { dialect: 'sqlite', emptyLocation: emptySqlite, location: migratedSqlite, open: openSqlite },
    { dialect: 'postgres', emptyLocation: emptyPostgres, location: migratedPostgres, open: openPostgres },
  ]
  for (const database of databases) {
    const skip = database.dialect === 'postgres' && skipWithout('postgresql')
    describe(`${name} on ${database.dialect}`, { skip }, () => tests(database))
  }
}

async function emptySqlite(): Promise<TestLocation & { dialect: 'sqlite' }> {
  const folder = await temporaryFolder('masthead-database')
  return {
    dialect: 'sqlite',
    file: join(folder.path, 'masthead.db'),
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

let migratedFile: Promise<Buffer> | undefined

/** A whole run needs it in every process, and migrates it in the first. */
async function readMigrated(): Promise<Buffer> {
  const run = process.env.MASTHEAD_TEST_RUN
  if (run === undefined) return migrateFile()
  const shared = join(run, 'migrated.db')
  const known = await readFile(shared).catch(() => null)
  if (known !== null) return known
  const content = await migrateFile()
  // Renamed when it is complete, so that no other process reads half of it.
  const draft = `${shared}.${process.pid}`
  await writeFile(draft, content)
  await rename(draft, shared)
  return content
}

async function migrateFile(): Promise<Buffer> {
  await using location = await emptySqlite()
  await (await openDatabase(location, silent)).close()
  return await readFile(location.file)
}

async function migratedSqlite(): Promise<TestLocation & { dialect: 'sqlite' }> {
  migratedFile ??= readMigrated()
  const location = await emptySqlite()
  await writeFile(location.file, await migratedFile)
  return location
}

/** A new SQLite database that does not wait for the disk. */
export async function openSqlite(): Promise<Database & AsyncDisposable> {
  const location = await migratedSqlite()
  const database = await openDatabase(location, silent, migrated)
  await sql`pragma synchronous = off`.execute(database.read)
  return closedWithLocation(database, location)
}

async function emptyPostgres(): Promise<TestLocation> {
  const schema = await postgresSchema()
  return { dialect: 'postgres', url: schema.url, [Symbol.asyncDispose]: () => schema.drop() }
}

const template = {
  name: 'masthead_template',
  async createTables(url: string) {
    await (await openDatabase({ dialect: 'postgres', url }, silent)).close()
  },
}

/** A PostgreSQL database with all tables and no rows. */
export async function migratedPostgres(): Promise<TestLocation & { dialect: 'postgres' }> {
  const database = await postgresDatabase(template)
  return { dialect: 'postgres', ...database }
}

async function openPostgres(): Promise<Database & AsyncDisposable> {
  const location = await postgresDatabase(template)
  const options = { ...migrated, pool: keptPool(location.url) }
  const database = await openDatabase({ dialect: 'postgres', url: location.url }, silent, options)
  return closedWithLocation(database, location)
}

const keptPools = new Map<string, Pool>()

/** A new connection costs the server 10 ms, so the next test on the same database gets those of the last one. */
function keptPool(url: string): PostgresPool {
  const named = new URL(url)
  named.searchParams.set('application_name', keptConnection)
  const pool = keptPools.get(url) ?? postgresPool(named.href, silent)
  keptPools.set(url, pool)
  return {
    options: pool.options,
    connect: () => pool.connect(),
    async end() {
      while (pool.idleCount < pool.totalCount) await once(pool, 'release')
    },
  }
}

function closedWithLocation(database: Database, location: AsyncDisposable): Database & AsyncDisposable {
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database.close()
      await location[Symbol.asyncDispose]()
    },
  }
}
