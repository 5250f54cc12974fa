import {
  type DomainState,
  type DomainTrigger,
  domainStates,
  isServed,
  nextDomainState,
} from '@masthead/contract/domains/states.ts'
import type { DnsCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import { hour } from '../kernel/clock.ts'
import type { DelegationOutcome, DomainRow } from './domain.ts'
import { searchEndsAt } from './schedule.ts'

export interface TransitionDecision {
  trigger: DomainTrigger | null
  state: DomainState
  /** The account has just proved the name, and the previous holder loses it. */
  takesName: boolean
  /** The account no longer proves the name, and another account has proved the domain. */
  losesName: boolean
}

/** What a check means for a domain. An unclear check never takes a domain down. */
export function decideTransition(
  row: Pick<DomainRow, 'state' | 'held' | 'state_since' | 'searching_since'> &
    Partial<Pick<DomainRow, 'kind'>>,
  outcome: DnsCheck['outcome'],
  now: number,
  isProvedElsewhere = false,
  delegation: DelegationOutcome = 'unclear',
): TransitionDecision {
  const losesName = isProvedElsewhere && outcome === 'wrong' && isLost(row, now)
  const trigger = losesName ? 'name_lost' : triggerOf(row, outcome, now, delegation)
  const state = trigger === null ? row.state : nextDomainState(row.state, trigger)
  const isProved = outcome === 'right' || trigger === 'delegated'
  const takesName = isProved && row.held === 0 && isServed(state)
  return { trigger, state, takesName, losesName }
}

/** How long wrong DNS may last, say while someone edits the zone, before the owner of the domain gets the name. */
const patience = hour

function isLost(
  { kind, state, held, state_since }: Parameters<typeof decideTransition>[0],
  now: number,
): boolean {
  if (held === 0) return false
  // Its proof was that of the domain, which is another account's by now, whatever DNS says.
  if (kind === 'wildcard') return true
  return state === 'pending' || state === 'prepared' || (state === 'drifted' && now - state_since >= patience)
}

function triggerOf(
  row: Pick<DomainRow, 'state' | 'searching_since'>,
  outcome: DnsCheck['outcome'],
  now: number,
  delegation: DelegationOutcome,
): DomainTrigger | null {
  if (outcome === 'right') return 'dns_right'
  if (row.state === 'pending' && delegation === 'delegated') return 'delegated'
  if (row.state === 'prepared' && delegation === 'missing') return 'undelegated'
  if (row.state === 'pending' && now >= searchEndsAt(row)) return 'time_up'
  return outcome === 'wrong' ? 'dns_wrong' : null
}

type Change = Partial<DomainRow> & Pick<DomainRow, 'state'>

/** The plan no longer includes the domain. */
export function suspendedRow(row: DomainRow, at: number): Change {
  const state = nextDomainState(row.state, 'plan_lapsed')
  return { state, state_before: row.state, state_since: at, next_check_at: null }
}

/**
 * The plan includes the domain again. It was not checked in the meantime, so its name may be someone else's by now: it
 * waits for the DNS check that follows immediately.
 */
export function resumedRow({ state_before }: DomainRow, at: number): Change {
  const state = nextDomainState('suspended', state_before === 'failed' ? 'resumed_stopped' : 'resumed')
  const { checked } = domainStates[state]
  return {
    state,
    state_before: null,
    state_since: at,
    next_check_at: checked === 'no' ? null : at,
    ...(checked === 'searching' ? { searching_since: at } : {}),
  }
}
