import type { DomainState } from '@masthead/contract/domain-states.ts'
import type { Reader } from '../database/database.ts'

export function countByState(db: Reader): Promise<{ state: DomainState; domains: number }[]> {
  return db
    .selectFrom('domains')
    .select((e) => ['state', e.fn.countAll<number>().as('domains')])
    .groupBy('state')
    .execute()
}

/** The due time of the domain that waits longest, whoever is at work on it; null where none is checked by itself. */
export async function longestDueAt(db: Reader): Promise<number | null> {
  const row = await db
    .selectFrom('domains')
    .select('next_check_at')
    .where('next_check_at', 'is not', null)
    .orderBy('next_check_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_check_at ?? null
}
