import {
  type DomainState,
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
  const state = stateToResume(row)
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
 * A domain that was served and is not held any more was proved by another account meanwhile; one that is held gets
 * a new certificate, because the old one went when it was suspended.
 */
function stateToResume({ state_before, held }: DomainRow): DomainState {
  const before = state_before ?? 'pending'
  if (!isServed(before)) return before
  return held === 1 ? 'verified' : 'pending'
}
