import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Dialect, Schema } from '../schema.ts'
import type { Migration } from './migration.ts'

/** The statements that a migration runs, without a database. */
export async function statementsOf(migration: Migration, dialect: Dialect): Promise<string[]> {
  const statements: string[] = []
  const isPostgres = dialect === 'postgres'
  const recording = new Kysely<Schema>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createAdapter: () => (isPostgres ? new PostgresAdapter() : new SqliteAdapter()),
      createQueryCompiler: () => (isPostgres ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
      createIntrospector: (db) => (isPostgres ? new PostgresIntrospector(db) : new SqliteIntrospector(db)),
    },
    log({ query }) {
      statements.push(query.sql)
    },
  })
  await migration.build(dialect).up(recording)
  return statements
}

/** What in these statements could break a version that does not know them, or lock a table for long. */
export function findBreakingStatements(statements: readonly string[]): string[] {
  const texts = statements.map((text) =>
    text
      .toLowerCase()
      .replaceAll(/["\s]+/g, ' ')
      .trim(),
  )
  const names = (pattern: RegExp) => new Set(texts.flatMap((text) => pattern.exec(text)?.slice(1) ?? []))
  const newTables = names(/^create table (?:if not exists )?(\w+)/)
  const newIndexes = names(/^create (?:unique )?index (?:concurrently )?(?:if not exists )?(\w+)/)
  const newColumns = new Set(
    texts.flatMap((text) => {
      const [, table, column] = addColumn.exec(text) ?? []
      return column === undefined ? [] : [`${table}.${column}`]
    }),
  )
  return texts.filter((text) => !expands(text))

  function expands(text: string): boolean {
    if (/^(create table|select) /.test(text)) return true
    const [, unique, table = ''] = /^create (unique )?index .*? on (\w+)/.exec(text) ?? []
    if (table !== '') return unique === undefined || newTables.has(table)
    const [, kind, dropped = ''] =
      /^drop (table|index) (?:concurrently )?(?:if exists )?(\w+)$/.exec(text) ?? []
    if (dropped !== '') return (kind === 'table' ? newTables : newIndexes).has(dropped)
    const [, , , definition] = addColumn.exec(text) ?? []
    if (definition !== undefined) return isHarmless(definition)
    const [, filled = ''] = /^insert into (\w+)/.exec(text) ?? []
    if (filled !== '') return newTables.has(filled)
    const [, changed = '', assignments = ''] = /^update (\w+) set (.*)$/.exec(text) ?? []
    const columns = [...assignments.matchAll(/(?:^|, )(\w+) = /g)].map(([, column]) => column)
    return (
      columns.length > 0 &&
      columns.every((column) => newTables.has(changed) || newColumns.has(`${changed}.${column}`))
    )
  }
}

const addColumn = /^alter table (\w+) add column (?:if not exists )?(\w+) ([^,]*(?:\(.*\).*)?)$/

/** Older versions insert rows without the new column. A constraint is checked, and a stored column is written, under a lock. */
function isHarmless(definition: string): boolean {
  if (/\b(unique|references|check|primary key|stored)\b/.test(definition)) return false
  return !/\bnot null\b/.test(definition) || /\bdefault\b/.test(definition)
}
