import type { DatabaseSync } from 'node:sqlite'
import { migrations } from '../../database/migrate/migration-list.ts'
import { OperatorError } from '../../kernel/program/process-lifetime.ts'

/**
 * A server may run next to a newer one on the same database. A copy must not be made by the older one: it would leave
 * out what it does not know, or could not be restored by the program that made it.
 */
export function refuseNewerVersion(applied: Iterable<string>): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied].filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new OperatorError(
    `This was written by a newer version of Masthead (${unknown.join(', ')}). Update this program and run it again.`,
  )
}

export function appliedMigrations(rows: DatabaseSync): string[] {
  return rows
    .prepare('select name from migrations')
    .all()
    .map(({ name }) => String(name))
}
