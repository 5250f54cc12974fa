import type { Id } from '@masthead/contract/schemas/fields.ts'
import { compileOnce } from '../database/compile-once.ts'
import type { Database, Reader, Tx } from '../database/database.ts'

/** Tables whose rows are checked again at a time, by one worker at a time. The key is unique within an account. */
const keys = { domains: 'hostname', domain_proofs: 'domain' } as const
type DueTable = keyof typeof keys

export interface DueSpan {
  now: number
  /** Rows that were due before this are left out. */
  since: number
}

/** The accounts with rows that are due, those that have waited longest first. Reads each row of the span once. */
export async function accountsWithDue(
  { read }: Pick<Database, 'read'>,
  table: DueTable,
  { now, since }: DueSpan,
): Promise<Id<'account'>[]> {
  const rows = await read
    .selectFrom(table as 'domains')
    .select('account_id')
    .where('next_check_at', '>=', since)
    .where('next_check_at', '<=', now)
    .groupBy('account_id')
    .orderBy((e) => e.fn.min('next_check_at'))
    .execute()
  return rows.map(({ account_id }) => account_id)
}

type AccountAt = {
  account: Id<'account'>
  now: number
}

/**
 * Takes the row of an account that has been due for longest and that nobody has leased; null if there is none. Rows that
 * another worker is leasing right now are skipped. `lease` changes the row with this key.
 */
export async function leaseFirstDue<Row>(
  database: Database,
  table: DueTable,
  at: AccountAt,
  lease: (tx: Tx, key: string) => Promise<Row>,
): Promise<Row | null> {
  // Read first, so that idle workers do not queue for SQLite's single writer.
  if ((await firstDue[table](database, at)).length === 0) return null
  return database.write(async (tx) => {
    const query = dueOf(tx, table, at)
    const first = await (database.dialect === 'postgres'
      ? query.forUpdate().skipLocked()
      : query
    ).executeTakeFirst()
    return first === undefined ? null : lease(tx, first.key)
  })
}

const firstDue = {
  domains: compileOnce((db, at: AccountAt) => dueOf(db, 'domains', at)),
  domain_proofs: compileOnce((db, at: AccountAt) => dueOf(db, 'domain_proofs', at)),
}

/** By an index of the due rows of each account, so it costs the same however many there are. */
function dueOf(db: Reader | Tx, table: DueTable, { account, now }: AccountAt) {
  return db
    .selectFrom(table as 'domains')
    .select(`${keys[table] as 'hostname'} as key`)
    .where('account_id', '=', account)
    .where('next_check_at', '<=', now)
    .where('lease_until', '<=', now)
    .orderBy('next_check_at')
    .limit(1)
}
