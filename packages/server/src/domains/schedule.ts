import { type DomainState, domainStates } from '@masthead/contract/domains/states.ts'
import type { DnsCheck } from '@masthead/contract/schemas/domain.ts'
import type { Schema } from '../database/schema.ts'
import { day, hour, minute, second } from '../kernel/clock.ts'

/** For so long a record is searched for by itself. Then a person has to ask again. */
export const searchDuration = 48 * hour

interface CheckInterval {
  /** Measured from the beginning: until then … */
  until: number
  /** … this often. */
  every: number
}

/**
 * Somebody who has just been shown a record sets it and watches: the first minutes are dense. Later it is mostly a
 * colleague with the password to the DNS who is waited for, and nobody looks at the page.
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
 * A domain that works is looked at to see that it still does, which can wait. One that is verified is about to get
 * its certificate: somebody waits for it, and whoever brought it may have died before it was tried. One that has just
 * become live is asked for by way of DNS once, and one that drifted is probably being repaired.
 */
const watching: Partial<Record<DomainState, readonly CheckInterval[]>> = {
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

/** What could not be judged is looked at again before long: most such faults pass within minutes. */
const afterUnclear = 5 * minute
/** Domains that were added together are not checked together for ever. */
const jitter = 0.1

export type Scheduled = Pick<Schema['domains'], 'state' | 'state_since' | 'searching_since' | 'asked_at'>

/** When to look again, for a domain as it is after a check; null: not by itself. `random` is in [0, 1). */
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
  // The last look falls on the end of the search, so that it ends when it was said to.
  return checked === 'searching' ? Math.min(at, Math.max(searchEndsAt(row), now + second)) : at
}

export function searchEndsAt({ searching_since }: Pick<Schema['domains'], 'searching_since'>): number {
  return searching_since + searchDuration
}

function intervalAt(rungs: readonly CheckInterval[], elapsed: number): number {
  return rungs.find(({ until }) => elapsed < until)?.every ?? hour
}
