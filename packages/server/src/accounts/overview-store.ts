import type { Id } from '@masthead/contract/ids.ts'
import { containing } from '../database/containing.ts'
import type { Database } from '../database/database.ts'

/** Accounts with how much each has, newest first: one query a page, every count by an index of the account. */
export function accountOverviewsBefore(
  { dialect, read }: Pick<Database, 'dialect' | 'read'>,
  { before, search, today, limit }: { before?: string; search?: string; today: number; limit: number },
) {
  let query = read
    .selectFrom('accounts')
    .selectAll('accounts')
    .select((e) => [
      ...(['projects', 'domains', 'members'] as const).map((table) =>
        e
          .selectFrom(table)
          .select(e.fn.countAll<number>().as('count'))
          .whereRef(`${table}.account_id`, '=', 'accounts.id')
          .as(table),
      ),
      e
        .selectFrom('request_counts')
        .select('requests')
        .whereRef('request_counts.account_id', '=', 'accounts.id')
        .where('unit', '=', 'day')
        .where('start', '=', today)
        .as('used_today'),
    ])
    .where('accounts.deleted_at', 'is', null)
    .orderBy('accounts.id', 'desc')
    .limit(limit)
  if (before !== undefined) query = query.where('accounts.id', '<', before as Id<'account'>)
  if (search !== undefined) {
    query = query.where(containing({ dialect }, 'accounts.name', search))
  }
  return query.execute()
}
