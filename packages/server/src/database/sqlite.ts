import { statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate as immediate } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import type { Schema } from './schema.ts'

const preparedStatements = 500
/** Milliseconds of queries in a row after which the event loop has to turn. */
const longestRun = 10

/** Kysely on Node's built-in SQLite. There is one connection, used by one transaction at a time. */
export function sqliteDialect(file: string): Dialect {
  return {
    createDriver: () => new SqliteDriver(file),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createQueryCompiler: () => new PlanKeepingCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

/**
 * Throws if a database is missing whose last changes are still there. SQLite would delete them with the first start, or
 * add them to a database that is restored there, and so destroy it.
 */
export function refuseLeftLog(file: string): void {
  const left = findLeftLog(file)
  if (left === null) return
  throw new OperatorError(`${left.problem} Nothing was changed. ${left.fix} Then run this again.`)
}

/** What is wrong and what to do if a database is missing whose last changes are still there. */
export function findLeftLog(file: string): { problem: string; fix: string } | null {
  if (bytesOf(file) !== null) return null
  const left = ['-wal', '-journal'].map((ending) => `${file}${ending}`).find((path) => bytesOf(path))
  if (left === undefined) return null
  return {
    problem: `${file} is missing, but ${left} is there: it has the last changes of that database.`,
    fix: 'Put the database back beside it. If the database is gone or has another name now, move this file to it or delete it.',
  }
}

function bytesOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null
}

/** SQLite supports DDL in transactions, but Kysely's adapter says it does not. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** There is one connection, but the driver has a queue of its own. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * SQLite plans a query again whenever a value is bound that its plan depends on: a bare `limit ?`, or a value that is
 * compared with a column of which an index holds one value only. Planning takes several times as long as a short query.
 * An expression hides the limit; for the others our queries say `sql.lit`.
 */
class PlanKeepingCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit +')
    this.visitNode(node.limit)
  }
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection
  #queue: Promise<void> = Promise.resolve()
  #release: () => void = () => {}
  #waiting = 0
  #hasCommitted = false
  /** When the first query since the event loop last turned began. */
  #runningSince: number | null = null

  constructor(file: string) {
    this.#connection = new SqliteConnection(file)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const previous = this.#queue
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#queue = promise
    this.#waiting++
    await previous
    this.#waiting--
    this.#release = resolve
    // Queries are answered without a turn of the event loop, so a loop of them would block everything else.
    if (this.#hasRunLong()) await immediate()
    return this.#connection
  }

  #hasRunLong(): boolean {
    const now = performance.now()
    if (this.#runningSince !== null) return now - this.#runningSince > longestRun
    this.#runningSince = now
    setImmediate(() => {
      this.#runningSince = null
    })
    return false
  }

  /** A commit waits for the disk, and so does this whole process: between two of them it answers what has arrived. */
  async releaseConnection(): Promise<void> {
    if (this.#hasCommitted && this.#waiting > 0) setImmediate(this.#release)
    else this.#release()
    this.#hasCommitted = false
  }

  /** `immediate` takes the write lock right away. Otherwise two processes could both read and then fail to write. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
    this.#hasCommitted = true
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A full disk ends the transaction itself. Rolling back again would hide the reason.
    if (this.#connection.isInTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {
    this.#connection.close()
  }
}

/** What is committed meanwhile reaches the disk with the next commit that waits for it. */
export async function withoutSync<T>(connection: Kysely<Schema>, work: () => Promise<T>): Promise<T> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(connection)
  await sql`pragma synchronous = normal`.execute(connection)
  try {
    return await work()
  } finally {
    await sql`pragma synchronous = ${sql.raw(String(rows[0]?.synchronous))}`.execute(connection)
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>()

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: 10_000 })
    useWriteAheadLog(this.#database)
    this.#database.exec('pragma synchronous = full; pragma foreign_keys = on')
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, returnsRows } = this.#prepare(sql)
    const values = parameters as readonly SQLInputValue[]
    if (returnsRows) return { rows: statement.all(...values) as R[] }
    const { changes } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming rows from SQLite is not supported')
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction
  }

  close(): void {
    this.#database.close()
  }

  #prepare(sql: string) {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    if (this.#statements.size >= preparedStatements) this.#statements.clear()
    this.#statements.set(sql, prepared)
    return prepared
  }
}

const busy = 5
const maxWait = 10_000
const pause = 20

/** SQLite's busy timeout does not cover another process changing the journal mode of a new database. */
function useWriteAheadLog(database: DatabaseSync): void {
  for (let waited = 0; ; waited += pause) {
    try {
      database.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy || waited >= maxWait) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    }
  }
}
