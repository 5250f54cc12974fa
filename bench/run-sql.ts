import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { requirePeer } from '@masthead/testing/peers.ts'

/** With what comes with PostgreSQL itself, so that no driver is needed here. */
export async function runInPostgres(url: string, statements: readonly string[]): Promise<void> {
  const psql = join(dirname(requirePeer('postgresql')), 'psql')
  const commands = statements.flatMap((statement) => ['-c', statement])
  // libpq takes a plus sign in an address for itself.
  const address = url.replaceAll('+', '%20')
  await promisify(execFile)(psql, [address, '-q', '-v', 'ON_ERROR_STOP=1', ...commands])
}

export function runInSqlite(file: string, statements: readonly string[]): void {
  using database = new DatabaseSync(file)
  for (const statement of statements) database.exec(statement)
}
