import type { Reader } from '../database/database.ts'
import type { DomainRow } from './domain.ts'

/** Whether another account claims the name now, or did so and left: it may have pointed DNS here before it was looked at. */
export async function isContested(
  db: Reader,
  { hostname, account_id }: Pick<DomainRow, 'hostname' | 'account_id'>,
): Promise<boolean> {
  const claim = await db
    .selectFrom('domains')
    .select('id')
    .where('hostname', '=', hostname)
    .where('account_id', '!=', account_id)
    .limit(1)
    .executeTakeFirst()
  if (claim !== undefined) return true
  const tombstone = await db
    .selectFrom('domain_tombstones')
    .select('hostname')
    .where('hostname', '=', hostname)
    .where('account_id', '!=', account_id)
    .limit(1)
    .executeTakeFirst()
  return tombstone !== undefined
}

/** Whether PostgreSQL refused to let a second row hold a name. SQLite has one writer and cannot come to it. */
export function isSecondHolder(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'domains_held'
}
