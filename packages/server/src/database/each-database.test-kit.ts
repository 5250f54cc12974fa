import { join } from 'node:path'
import { describe } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { type Database, type DatabaseLocation, openDatabase } from './database.ts'
import type { Dialect } from './schema.ts'

export interface DatabaseUnderTest {
  dialect: Dialect
  /** A location with nothing in it yet. */
  location(): Promise<DatabaseLocation & AsyncDisposable>
  /** An empty database with its tables, closed and removed at the end of the test's scope. */
  open(): Promise<Database & AsyncDisposable>
}

const silent = { warn: () => {} }

/** Runs the same tests on SQLite and on PostgreSQL. */
export function onEachDatabase(name: string, tests: (database: DatabaseUnderTest) => void): void {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const skip = dialect === 'postgres' && skipWithout('postgresql')
    describe(`${name} on ${dialect}`, { skip }, () => {
      const location = dialect === 'sqlite' ? sqliteLocation : postgresLocation
      tests({
        dialect,
        location,
        async open() {
          const where = await location()
          const database = await openDatabase(where, silent)
          return {
            ...database,
            async [Symbol.asyncDispose]() {
              await database.close()
              await where[Symbol.asyncDispose]()
            },
          }
        },
      })
    })
  }
}

async function sqliteLocation(): Promise<DatabaseLocation & AsyncDisposable> {
  const folder = await temporaryFolder('masthead-database')
  return {
    dialect: 'sqlite',
    file: join(folder.path, 'masthead.db'),
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

async function postgresLocation(): Promise<DatabaseLocation & AsyncDisposable> {
  const schema = await postgresSchema()
  return { dialect: 'postgres', url: schema.url, [Symbol.asyncDispose]: () => schema.drop() }
}
