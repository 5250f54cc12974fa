import { type DomainState, domainStateNames } from '@masthead/contract/domain-states.ts'
import type { Context } from '../database/context.ts'
import { countByState, longestDueAt } from './workload-store.ts'

/** How many domains are in each state. */
export async function countDomainsByState({
  database,
}: Pick<Context, 'database'>): Promise<Record<DomainState, number>> {
  const counted = new Map((await countByState(database.read)).map(({ state, domains }) => [state, domains]))
  const counts = domainStateNames.map((state) => [state, counted.get(state) ?? 0])
  return Object.fromEntries(counts) as Record<DomainState, number>
}

/** By how many milliseconds the domain that waits longest is late; 0 where none is. */
export async function domainCheckLag({ database, now }: Context): Promise<number> {
  return Math.max(0, now() - ((await longestDueAt(database.read)) ?? now()))
}
