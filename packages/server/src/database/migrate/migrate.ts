import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { minute, second } from '../../kernel/clock.ts'
import { StartError } from '../../kernel/program/process-lifetime.ts'
import type { Dialect, Schema } from '../schema.ts'
import { announceVersion, otherRunningVersions } from './live-versions.ts'
import {
  type AppliedMigration,
  findIncompatibility,
  type Migration,
  newestOf,
  nextMigration,
} from './migration.ts'

export interface MigrateOptions {
  dialect: Dialect
  migrations: readonly Migration[]
  /** This process, among the running versions. */
  self: string
  /** How long to try again while other transactions use the tables. */
  patience?: number
  log: { warn(details: object, message: string): void }
}

/** While a migration waits for a table, everything else that needs the table waits behind it. */
const lockTimeout = second
const retryAfter = second
const pollLockEvery = 0.1 * second
/** The migration since which the kinds of migrations and the running versions are stored. */
const kindsSince = '0020-live-versions'

type Progress = 'ran one' | 'has to wait' | 'done'

/**
 * Runs missing migrations and announces this version. Each has its own transaction, except in a new database: nobody
 * waits for its tables, and one commit is faster than thirty. Processes that start together wait for each other: for
 * SQLite's transaction, or for an advisory lock in PostgreSQL. Returns whether a contract migration has to wait for an
 * older version to stop.
 */
export async function migrate(kysely: Kysely<Schema>, options: MigrateOptions): Promise<boolean> {
  const { dialect, migrations, self, log, patience = 5 * minute } = options
  let hasSaid = false
  for (const since = performance.now(); ; ) {
    try {
      const result = await underLock(kysely, dialect, runMissing)
      if (result !== 'ran one') return result === 'has to wait'
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (performance.now() - since > patience) throw tablesInUse(patience, error)
      if (!hasSaid && patience > 0) log.warn({}, waitingWords(patience))
      hasSaid = true
      await sleep(retryAfter)
    }
  }

  async function runMissing(tx: Transaction<Schema>): Promise<Progress> {
    await sql`create table if not exists migrations (name text primary key, at bigint not null)`.execute(tx)
    const applied = await readApplied(tx)
    const isNew = applied.length === 0
    let result = await runNext(tx, applied, { isNew, mayRunOutside: true })
    while (isNew && result === 'ran one') {
      result = await runNext(tx, await readApplied(tx), { isNew, mayRunOutside: false })
    }
    return result === 'needs a commit' ? 'ran one' : result
  }

  async function runNext(
    tx: Transaction<Schema>,
    applied: readonly AppliedMigration[],
    { isNew, mayRunOutside }: { isNew: boolean; mayRunOutside: boolean },
  ): Promise<Progress | 'needs a commit'> {
    const problem = findIncompatibility(migrations, applied)
    if (problem !== null) throw new StartError(problem)
    const hasKinds = applied.some(({ name }) => name === kindsSince)
    const running = hasKinds ? await otherRunningVersions(tx, dialect, self) : []
    const next = nextMigration(migrations, applied, running)
    if (next !== null) {
      const steps = next.build(dialect)
      const upInNew = isNew ? steps.upInNew : undefined
      const isOutside = steps.outsideTransaction === true && upInNew === undefined && dialect === 'postgres'
      if (isOutside && !mayRunOutside) return 'needs a commit'
      if (isOutside) await onlyHoldLock(tx)
      await (upInNew ?? steps.up)(isOutside ? kysely : tx)
      await recordMigration(tx, next.name, {
        migrations,
        applied,
        hasKinds: hasKinds || next.name === kindsSince,
      })
      return 'ran one'
    }
    if (hasKinds) await announceVersion(tx, dialect, { id: self, newest: newestOf(migrations) })
    return nextMigration(migrations, applied, []) === null ? 'done' : 'has to wait'
  }
}

/** Once this version has become too old for the database, says why. */
export async function checkStillCompatible(
  kysely: Kysely<Schema>,
  migrations: readonly Migration[],
): Promise<string | null> {
  return findIncompatibility(migrations, await readApplied(kysely))
}

async function readApplied(db: Kysely<Schema>): Promise<AppliedMigration[]> {
  return (await sql<AppliedMigration>`select * from migrations`.execute(db)).rows
}

async function recordMigration(
  tx: Transaction<Schema>,
  latest: string,
  {
    migrations,
    applied,
    hasKinds,
  }: { migrations: readonly Migration[]; applied: readonly AppliedMigration[]; hasKinds: boolean },
): Promise<void> {
  await sql`insert into migrations (name, at) values (${latest}, ${Date.now()})`.execute(tx)
  if (!hasKinds) return
  const withoutKind = new Set([latest, ...applied.filter(({ kind }) => !kind).map(({ name }) => name)])
  for (const { name, kind, needs } of migrations.filter((migration) => withoutKind.has(migration.name))) {
    await sql`update migrations set kind = ${kind}, needs = ${needs} where name = ${name}`.execute(tx)
  }
}

const migrationLock = 6_278_437_001

/**
 * Asks for PostgreSQL's lock again and again instead of waiting in a transaction, because `create index concurrently`
 * of the process that has the lock would wait for that transaction.
 */
async function underLock<T>(
  kysely: Kysely<Schema>,
  dialect: Dialect,
  work: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  for (;;) {
    const result = await kysely.transaction().execute(async (tx) => {
      if (dialect === 'postgres' && !(await tryLock(tx))) return null
      return { value: await work(tx) }
    })
    if (result !== null) return result.value
    await sleep(pollLockEvery)
  }
}

async function tryLock(tx: Transaction<Schema>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${migrationLock}) as locked`.execute(tx)
  if (rows[0]?.locked !== true) return false
  await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(tx)
  // A pooler in transaction mode may give us a connection with the limit of another process.
  await sql`set local statement_timeout = 0`.execute(tx)
  return true
}

/**
 * For as long as it takes. A statement that needs no snapshot also ends the snapshot of the one before, for which
 * `create index concurrently` would wait.
 */
async function onlyHoldLock(tx: Transaction<Schema>): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}

function waitingWords(patience: number): string {
  return `waiting for up to ${patience / minute} minutes for other transactions to let go of tables that change`
}

function tablesInUse(patience: number, cause: unknown): StartError {
  return new StartError(
    `A migration could not lock its tables within ${patience / minute} minutes, because other transactions use them. ` +
      'Find the long ones in pg_stat_activity, end them, and start again.',
    { cause },
  )
}
