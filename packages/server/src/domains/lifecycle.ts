import { setTimeout as sleep } from 'node:timers/promises'
import type { DomainState } from '@masthead/contract/domain-states.ts'
import { second } from '../clock.ts'
import { checkDomain } from './check-domain.ts'
import type { DomainContext } from './context.ts'
import { claimDue, type Leased, putBack, stopChecking } from './lease-store.ts'
import { system } from './tell-change.ts'

type Step = (context: DomainContext, leased: Leased) => Promise<void>

/**
 * The walk of a domain, one step at a time from what is stored: each state, in the order in which they are come to,
 * and what is done when a domain in it is due. A step stores what it found and when the next one is due, and can be
 * taken again after a crash. Which state follows stands in the table `domainTransitions`.
 */
const walk: Record<DomainState, Step> = {
  pending: lookAtDns,
  verified: lookAtDns,
  live: lookAtDns,
  drifted: lookAtDns,
  failed: waitForSomebody,
  suspended: waitForSomebody,
}

export interface Reconciling {
  /** Different for every process that reconciles. */
  owner: string
  log: { error(details: object, message: string): void }
  concurrency?: number
  stopping?: AbortSignal
}

/**
 * Takes a step of every domain that is due, so many at once, and ends when none is due or under way. A nameserver
 * that is slow to answer holds up its own domain only: what becomes due meanwhile is taken as well.
 */
export async function reconcileDue(
  context: DomainContext,
  { owner, log, concurrency = 16, stopping }: Reconciling,
): Promise<void> {
  const { database, now } = context
  const underWay = new Set<Promise<void>>()

  async function takeStep(leased: Leased): Promise<void> {
    const { id, hostname, state } = leased.row
    try {
      await walk[state](context, leased)
    } catch (error) {
      log.error({ err: error, domain: id, hostname }, 'a step of a domain failed and will be taken again')
      await putBack(database, leased, now()).catch((err: unknown) => {
        log.error({ err, domain: id, hostname }, 'a domain could not be put back and waits for its lease')
      })
    }
  }

  try {
    while (stopping?.aborted !== true) {
      const free = concurrency - underWay.size
      const leased = free > 0 ? await claimDue(database, owner, now(), free) : []
      for (const one of leased) {
        const step: Promise<void> = takeStep(one).finally(() => underWay.delete(step))
        underWay.add(step)
      }
      if (underWay.size === 0) return
      await firstOf(underWay, second)
    }
  } finally {
    await Promise.all(underWay)
  }
}

async function firstOf(underWay: Iterable<Promise<void>>, milliseconds: number): Promise<void> {
  const done = new AbortController()
  const timer = sleep(milliseconds, undefined, { signal: done.signal }).catch(() => {})
  await Promise.race([...underWay, timer])
  done.abort()
}

async function lookAtDns(context: DomainContext, { row, lease }: Leased): Promise<void> {
  await checkDomain(context, row, { by: system, lease })
}

async function waitForSomebody({ database }: DomainContext, leased: Leased): Promise<void> {
  await stopChecking(database, leased)
}
