import {
  type DomainState,
  type DomainTrigger,
  domainStateAfter,
  isServed,
} from '@masthead/contract/domain-states.ts'
import type { DnsCheck } from '@masthead/contract/schemas/domain.ts'
import type { DomainRow } from './domain.ts'
import { searchEndsAt } from './schedule.ts'

export interface Decision {
  trigger: DomainTrigger | null
  state: DomainState
  /** The account proved the name just now, and whoever held it loses it. */
  takesName: boolean
}

/** What a check means for a domain. A check that could not be made takes nothing away. */
export function decide(
  row: Pick<DomainRow, 'state' | 'held' | 'searching_since'>,
  outcome: DnsCheck['outcome'],
  now: number,
): Decision {
  const trigger = triggerOf(row, outcome, now)
  const state = trigger === null ? row.state : domainStateAfter(row.state, trigger)
  return { trigger, state, takesName: outcome === 'right' && row.held === 0 && isServed(state) }
}

function triggerOf(
  row: Pick<DomainRow, 'state' | 'searching_since'>,
  outcome: DnsCheck['outcome'],
  now: number,
): DomainTrigger | null {
  if (outcome === 'right') return 'dns_right'
  if (row.state === 'pending' && now >= searchEndsAt(row)) return 'time_up'
  return outcome === 'wrong' ? 'dns_wrong' : null
}

/** Visitors get to see it: the account proved the name, and its state lets it be served. */
export function isServing({ held, state }: Pick<DomainRow, 'held' | 'state'>): boolean {
  return held === 1 && isServed(state)
}
