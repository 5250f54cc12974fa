import { type ProofState, proofStates, proofTimes } from '@masthead/contract/domains/proofs.ts'
import type { Proof, ProofCheck } from '@masthead/contract/schemas/domains/proof.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { EventActor } from '../../events/record-event.ts'
import { day, hour, isoTime, isoTimeOrNull, minute, second } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { describeHostname } from '../hostname.ts'
import { challengeName, wantedTtl } from '../records.ts'
import type { ProofRow } from './store.ts'

const grace = proofTimes.graceDays * day
const searchDuration = proofTimes.searchHours * hour

export interface ProofInput {
  accountId: Id<'account'>
  by: EventActor
  /** As typed. */
  domain: string
}

export function toProof(row: ProofRow): Proof {
  const { domain, state, token } = row
  const endsAt = { pending: row.state_since + searchDuration, drifted: row.state_since + grace }
  return {
    domain,
    unicode: describeHostname(domain).unicode,
    state,
    record: {
      type: 'TXT',
      // Only the top of a zone can be proved, so this is relative to the zone.
      name: '_masthead-challenge',
      fqdn: challengeName(domain),
      value: token,
      ttl: wantedTtl,
    },
    lastCheck: lastProofCheck(row),
    createdAt: isoTime(row.created_at),
    provedAt: isoTimeOrNull(row.proved_at),
    seenAt: isoTimeOrNull(row.seen_at),
    nextCheckAt: isoTimeOrNull(row.next_check_at),
    endsAt: state === 'pending' || state === 'drifted' ? isoTime(endsAt[state]) : null,
  }
}

export function lastProofCheck({ last_check }: Pick<ProofRow, 'last_check'>): ProofCheck | null {
  return last_check === null ? null : (JSON.parse(last_check) as ProofCheck)
}

export type ProofOutcome = ProofCheck['outcome']

/** The state after a check. An unclear check changes nothing. */
export function nextProofState(
  { state, state_since }: Pick<ProofRow, 'state' | 'state_since'>,
  outcome: ProofOutcome,
  now: number,
): ProofState {
  if (outcome === 'right') return 'proved'
  const hasSearched = state === 'pending' && now >= state_since + searchDuration
  if (outcome === 'unclear') return hasSearched ? 'ended' : state
  if (state === 'proved') return 'drifted'
  if (state === 'drifted') return now >= state_since + grace ? 'ended' : state
  return hasSearched ? 'ended' : state
}

/** Waits by the time since the state began, dense while someone is probably watching. */
const searching = [
  { until: 5 * minute, every: 10 * second },
  { until: hour, every: 2 * minute },
  { until: 6 * hour, every: 10 * minute },
]
const jitter = 0.1

/** When to check again; null for not automatically. `random` is in [0, 1). */
export function nextProofCheckAt(
  { state, state_since }: Pick<ProofRow, 'state' | 'state_since'>,
  outcome: ProofOutcome,
  now: number,
  random: number,
): number | null {
  const { checked } = proofStates[state]
  if (checked === 'no') return null
  const every =
    checked === 'searching'
      ? (searching.find(({ until }) => now - state_since < until)?.every ?? hour / 2)
      : state === 'drifted' || outcome === 'unclear'
        ? hour
        : day
  const at = now + Math.round(every * (1 - jitter + 2 * jitter * random))
  return checked === 'searching' ? Math.min(at, Math.max(state_since + searchDuration, now + second)) : at
}

/** Leaves time to set the record that the response shows. */
export const firstCheckAfter = 10 * second

/** What looks for the record again if automatic checks had ended. */
export function restart({ state }: ProofRow, at: number): Partial<ProofRow> {
  if (state !== 'ended') return { next_check_at: at }
  return { state: 'pending', state_since: at, next_check_at: at + firstCheckAfter }
}

export function noSuchProof(domain: string): Problem {
  return new Problem('not_found', `This account has no proof of ${domain}. Start one first.`)
}
