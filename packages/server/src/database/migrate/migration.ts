import type { Kysely } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

export interface MigrationSteps {
  up(db: Kysely<Schema>): Promise<void>
  /**
   * Runs outside a transaction on PostgreSQL, for `create index concurrently` and for filling columns in batches. It
   * must work when an earlier run was interrupted anywhere.
   */
  outsideTransaction?: true
  /** Does the same in the transaction of a new database, whose tables are empty and used by nobody. */
  upInNew?(db: Kysely<Schema>): Promise<void>
}

/**
 * `expand` only adds, so versions that do not know it keep working. `contract` removes what only older versions use. It
 * waits until all of them have stopped, and no version may start afterwards unless it knows the migration in `needs`.
 */
export interface Migration {
  name: string
  kind: 'expand' | 'contract'
  needs: string | null
  build: (dialect: Dialect) => MigrationSteps
}

export function expand(name: string, build: Migration['build']): Migration {
  return { name, kind: 'expand', needs: null, build }
}

/** `needs` names the first migration of the release that no longer used what is removed here. */
export function contract(name: string, build: Migration['build'], needs: string = name): Migration {
  return { name, kind: 'contract', needs, build }
}

/** As stored. Versions before 0020 stored no kind. */
export interface AppliedMigration {
  name: string
  kind?: string | null
  needs?: string | null
}

/** Why a version that knows `known` cannot use a database with `applied`, or null if it can. */
export function findIncompatibility(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): string | null {
  const names = new Set(known.map(({ name }) => name))
  const blocking = applied.filter(({ name, kind, needs }) => {
    if (names.has(name) || kind === 'expand') return false
    return needs === null || needs === undefined || !names.has(needs)
  })
  if (blocking.length === 0) return null
  const list = blocking.map(({ name }) => name).join(', ')
  return (
    `The database was created by a newer version of Masthead (${list}), which removed what this version needs. ` +
    'Start that version or the one before it, or restore a backup from before the update.'
  )
}

/**
 * The next migration to run, or null. `running` has the newest migration that each running version knows. A contract
 * migration that has to wait does not delay those after it: they never depend on a removal.
 */
export function nextMigration(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  running: readonly string[],
): Migration | null {
  const done = new Set(applied.map(({ name }) => name))
  const maySee = ({ needs }: Migration) => needs === null || running.every((newest) => newest >= needs)
  return known.find((migration) => !done.has(migration.name) && maySee(migration)) ?? null
}

export function newestOf(known: readonly Migration[]): string {
  return known.at(-1)?.name ?? ''
}
