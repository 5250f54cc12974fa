import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { Window } from './policy.ts'

export type CountRow = Selectable<Schema['request_counts']>
export type BanRow = Selectable<Schema['bans']>

/** A few fixed sizes, so that there are few statements to prepare. */
const rowsPerStatement = [256, 16, 1]

/** Adds to existing counts, so that several processes can count one account. */
export async function addRequests(tx: Tx, rows: readonly CountRow[]): Promise<void> {
  let done = 0
  for (const size of rowsPerStatement) {
    for (; rows.length - done >= size; done += size) {
      await tx
        .insertInto('request_counts')
        .values(rows.slice(done, done + size))
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'unit', 'start']).doUpdateSet((e) => ({
            requests: e('request_counts.requests', '+', e.ref('excluded.requests')),
          })),
        )
        .execute()
    }
  }
}

export function requestsSince(db: Reader, accountId: string, unit: Window, since: number) {
  return db
    .selectFrom('request_counts')
    .select(['start', 'requests'])
    .where('account_id', '=', accountId)
    .where('unit', '=', unit)
    .where('start', '>=', since)
    .execute()
}

const namesPerQuery = 500

/** For all names, or only for the given ones. */
export async function requestsOfDay(db: Reader, start: number, names: readonly string[] | null = null) {
  const query = db
    .selectFrom('request_counts')
    .select(['account_id', 'requests'])
    .where('unit', '=', 'day')
    .where('start', '=', start)
  if (names === null) return query.execute()
  const found = []
  for (let from = 0; from < names.length; from += namesPerQuery) {
    found.push(...(await query.where('account_id', 'in', names.slice(from, from + namesPerQuery)).execute()))
  }
  return found
}

export async function requestsOn(db: Reader, accountId: string, day: number): Promise<number> {
  const row = await db
    .selectFrom('request_counts')
    .select('requests')
    .where('account_id', '=', accountId)
    .where('unit', '=', 'day')
    .where('start', '=', day)
    .executeTakeFirst()
  return row?.requests ?? 0
}

export function bansOf(db: Reader, accountId: string): Promise<BanRow[]> {
  return db.selectFrom('bans').selectAll().where('account_id', '=', accountId).execute()
}

/** Deletes up to `most` counts of minutes or days before a time, and returns how many. */
export async function deleteRequestsBefore(
  tx: Tx,
  unit: Window,
  start: number,
  most: number,
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('request_counts')
    .where((e) =>
      e(
        e.refTuple('account_id', 'unit', 'start'),
        'in',
        e
          .selectFrom('request_counts')
          .select(['account_id', 'unit', 'start'])
          .where('unit', '=', unit)
          .where('start', '<', start)
          .orderBy('start')
          .limit(most)
          .$asTuple('account_id', 'unit', 'start'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export function allBans(db: Reader): Promise<BanRow[]> {
  return db.selectFrom('bans').selectAll().execute()
}

export async function saveBan(tx: Tx, row: BanRow): Promise<void> {
  const { key_id: _, ...change } = row
  await tx
    .insertInto('bans')
    .values(row)
    .onConflict((conflict) => conflict.column('key_id').doUpdateSet(change))
    .execute()
}

export async function deleteBan(tx: Tx, keyId: string): Promise<void> {
  await tx.deleteFrom('bans').where('key_id', '=', keyId).execute()
}

export async function deleteBansBefore(tx: Tx, until: number): Promise<void> {
  await tx.deleteFrom('bans').where('until', '<', until).execute()
}
