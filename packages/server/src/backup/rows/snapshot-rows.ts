import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Client } from 'pg'
import { type DatabaseLocation, openDatabase } from '../../database/database.ts'
import { longRunningClient } from '../../database/postgres.ts'
import { OperatorError } from '../../kernel/program/process-lifetime.ts'
import type { ProgressReport } from '../progress-report.ts'
import { appliedMigrations, refuseNewerVersion } from './known-version.ts'
import { postgresReader, quote, type RowReader, type RowValue, sqliteReader } from './row-reader.ts'
import { copiedTables } from './tables.ts'

/** Writes the rows of one moment into a new SQLite file, while servers go on. */
export async function snapshotRows(
  location: DatabaseLocation,
  file: string,
  progress: ProgressReport,
): Promise<void> {
  if (location.dialect === 'postgres') return snapshotPostgres(location.url, file, progress)
  const source = new DatabaseSync(location.file, { timeout: 10_000 })
  try {
    refuseNewerVersion(appliedMigrations(source))
    // One read transaction. Writers do not wait for it, because the database has a write-ahead log.
    source.prepare('vacuum into ?').run(file)
  } finally {
    source.close()
  }
}

async function snapshotPostgres(url: string, file: string, progress: ProgressReport): Promise<void> {
  await (await openDatabase({ dialect: 'sqlite', file }, { warn: () => {} })).close()
  const target = new DatabaseSync(file)
  const client = longRunningClient(url)
  try {
    await client.connect()
    target.exec('pragma journal_mode = delete; pragma synchronous = off; pragma foreign_keys = off; begin')
    await client.query('begin transaction isolation level repeatable read, read only')
    await checkVersion(client)
    await readTables(postgresReader(client), target, progress)
    const { rows } = await client.query<{ last: number }>(
      `select coalesce(last_value, 0) as last from pg_sequences
       where schemaname = current_schema() and sequencename = 'changes_seq_seq'`,
    )
    target.prepare(`insert into sqlite_sequence (name, seq) values ('changes', ?)`).run(rows[0]?.last ?? 0)
    await client.query('commit')
    target.exec('commit')
  } finally {
    await client.end()
    target.close()
  }
}

/** Throws unless there is an installation that this program understands. */
export async function checkVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ found: string | null }>(
    `select to_regclass('migrations')::text as found`,
  )
  if (rows[0]?.found == null)
    throw new OperatorError("There is no installation in this database. Run this with the server's settings.")
  const migrations = await client.query<{ name: string }>('select name from migrations')
  refuseNewerVersion(migrations.rows.map(({ name }) => name))
}

async function readTables(source: RowReader, target: DatabaseSync, progress: ProgressReport): Promise<void> {
  let total = 0
  for (const table of copiedTables)
    if ((await source.columns(table.name)).length > 0) total += await source.count(table)
  const step = progress.begin({ title: 'Reading rows', unit: 'rows', total })
  for (const table of copiedTables) {
    const columns = await sqliteReader(target).columns(table.name)
    const there = new Set(await source.columns(table.name))
    const missing = columns.filter((column) => !there.has(column))
    if (missing.length > 0)
      throw new OperatorError(
        `The database is of an older version of Masthead than this program (${table.name} has no ${missing[0]}). ` +
          'Run the backup of the version that runs, or start this version first.',
      )
    const insert = target.prepare(
      `insert into ${quote(table.name)} (${columns.map(quote).join()}) values (${columns.map(() => '?').join()})`,
    )
    for await (const { rows } of source.batches(table, columns)) {
      for (const row of rows) insert.run(...columns.map((column) => sqliteValue(row[column])))
      step.advance(rows.length)
    }
  }
  step.end()
}

function sqliteValue(value: RowValue | undefined): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  return value ?? null
}
