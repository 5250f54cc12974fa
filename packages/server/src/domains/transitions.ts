import {
  type DomainState,
  type DomainTrigger,
  domainStates,
  isServed,
  nextDomainState,
} from '@masthead/contract/domains/states.ts'
import type { DnsCheck } from '@masthead/contract/schemas/domain.ts'
import type { DomainRow } from './domain.ts'
import { searchEndsAt } from './schedule.ts'

export interface TransitionDecision {
  trigger: DomainTrigger | null
  state: DomainState
  /** The account proved the name just now, and whoever held it loses it. */
  takesName: boolean
}

/** What a check means for a domain. A check that could not be made takes nothing away. */
export function decideTransition(
  row: Pick<DomainRow, 'state' | 'held' | 'searching_since'>,
  outcome: DnsCheck['outcome'],
  now: number,
): TransitionDecision {
  const trigger = triggerOf(row, outcome, now)
  const state = trigger === null ? row.state : nextDomainState(row.state, trigger)
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

type Change = Partial<DomainRow> & Pick<DomainRow, 'state'>

/** The plan no longer includes the domain. */
export function suspendedRow(row: DomainRow, at: number): Change {
  const state = nextDomainState(row.state, 'plan_lapsed')
  return { state, state_before: row.state, state_since: at, next_check_at: null }
}

/** The plan includes the domain again: it goes on where it was, and is looked at soon. */
export function resumedRow(row: DomainRow, at: number): Change {
  const state = nextDomainState(row.state, triggerToResume(row))
  const { checked } = domainStates[state]
  return {
    state,
    state_before: null,
    state_since: at,
    next_check_at: checked === 'no' ? null : at,
    ...(checked === 'searching' ? { searching_since: at } : {}),
  }
}

/**
 * A domain that was served and is not held any more was proved by another account meanwhile, and an apex may have been
 * sold, which its addresses would not show: both wait for DNS. Any other gets a new certificate, because the old one
 * went when it was suspended.
 */
function triggerToResume({ state_before, held, kind }: DomainRow): DomainTrigger {
  if (state_before === 'failed') return 'resumed_stopped'
  const wasServed = state_before !== null && isServed(state_before)
  return wasServed && held === 1 && kind === 'subdomain' ? 'resumed_proved' : 'resumed_waiting'
}
