import { type DomainState, domainStates } from '@masthead/contract/domains/states.ts'
import type { DnsCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Schema } from '../database/schema.ts'
import { day, hour, minute, second } from '../kernel/clock.ts'

/** How long DNS is checked automatically before someone has to ask for it again. */
export const searchDuration = 48 * hour

/** How long a check that someone asks for waits after the last one, so that nobody's nameservers are asked all the time. */
export const pauseBetweenChecks = 2 * second

interface CheckInterval {
  /** Measured from the start. */
  until: number
  every: number
}

/**
 * People who were just shown a record set it and watch, so the first minutes are dense. Later we mostly wait for a
 * colleague with access to the DNS, and nobody watches the page.
 */
const searching: readonly CheckInterval[] = [
  { until: minute, every: 5 * second },
  { until: 5 * minute, every: 10 * second },
  { until: 15 * minute, every: 30 * second },
  { until: hour, every: 2 * minute },
  { until: 6 * hour, every: 10 * minute },
  { until: Number.POSITIVE_INFINITY, every: 30 * minute },
]

/**
 * A live domain is only checked to see that it still works; right after going live it is also probed once through
 * public DNS. A verified one is about to get its certificate and someone is waiting for it. A drifted one is probably
 * being fixed.
 */
const watching: Partial<Record<DomainState, readonly CheckInterval[]>> = {
  // Visitors are served whenever the record changes, so nobody waits for us to notice.
  prepared: [
    { until: 10 * minute, every: 10 * second },
    { until: day, every: minute },
    { until: Number.POSITIVE_INFINITY, every: 10 * minute },
  ],
  verified: [
    { until: minute, every: 5 * second },
    { until: 10 * minute, every: minute },
    { until: Number.POSITIVE_INFINITY, every: 10 * minute },
  ],
  live: [
    { until: 5 * second, every: 5 * second },
    { until: Number.POSITIVE_INFINITY, every: 3 * hour },
  ],
  drifted: [
    { until: day, every: 10 * minute },
    { until: Number.POSITIVE_INFINITY, every: hour },
  ],
}

/** An unclear check is repeated soon: most such failures pass within minutes. */
const afterUnclear = 5 * minute
/** Spreads out the checks of domains that were added together. */
const jitter = 0.1

export type Scheduled = Pick<Schema['domains'], 'state' | 'state_since' | 'searching_since' | 'asked_at'>

/** When to check the domain again after a check; null for not automatically. `random` is in [0, 1). */
export function nextCheckAt(
  row: Scheduled,
  outcome: DnsCheck['outcome'],
  now: number,
  random: number,
): number | null {
  const { checked } = domainStates[row.state]
  if (checked === 'no') return null
  const every =
    checked === 'searching'
      ? intervalAt(searching, now - Math.max(row.searching_since, row.asked_at))
      : intervalAt(watching[row.state] ?? [], now - row.state_since)
  const wait = outcome === 'unclear' ? Math.min(every, afterUnclear) : every
  const at = now + Math.round(wait * (1 - jitter + 2 * jitter * random))
  // The last check falls on the announced end of the search.
  return checked === 'searching' ? Math.min(at, Math.max(searchEndsAt(row), now + second)) : at
}

export function searchEndsAt({ searching_since }: Pick<Schema['domains'], 'searching_since'>): number {
  return searching_since + searchDuration
}

function intervalAt(intervals: readonly CheckInterval[], elapsed: number): number {
  return intervals.find(({ until }) => elapsed < until)?.every ?? hour
}
