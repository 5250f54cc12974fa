import type { Reader } from '../database/database.ts'

/** Keys whose ban is noted to run on after `now`, soonest to end first. */
export function bannedKeysAfter(
  db: Reader,
  { now, after, limit }: { now: number; after: { until: number; keyId: string } | null; limit: number },
) {
  let query = db
    .selectFrom('bans')
    .innerJoin('keys', 'keys.id', 'bans.key_id')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .select([
      'keys.id as key_id',
      'keys.name as key_name',
      'keys.account_id',
      'accounts.name as account_name',
    ])
    .select('bans.until')
    .where('bans.until', '>', now)
    .orderBy('bans.until')
    .orderBy('bans.key_id')
    .limit(limit)
  if (after !== null) {
    const { until, keyId } = after
    query = query.where((e) => e(e.refTuple('bans.until', 'bans.key_id'), '>', e.tuple(until, keyId)))
  }
  return query.execute()
}
