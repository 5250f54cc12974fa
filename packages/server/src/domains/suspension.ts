import {
  type DomainTrigger,
  domainStateAfter,
  domainStates,
  isServed,
} from '@masthead/contract/domain-states.ts'
import type { DomainRow } from './domain.ts'

type Change = Partial<DomainRow> & Pick<DomainRow, 'state'>

/** The plan no longer includes the domain. */
export function suspended(row: DomainRow, at: number): Change {
  const state = domainStateAfter(row.state, 'plan_lapsed')
  return { state, state_before: row.state, state_since: at, next_check_at: null }
}

/** The plan includes the domain again: it goes on where it was, and is looked at soon. */
export function resumed(row: DomainRow, at: number): Change {
  const state = domainStateAfter(row.state, triggerToResume(row))
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
