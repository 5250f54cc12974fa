import { setTimeout as sleep } from 'node:timers/promises'
import type { DomainState } from '@masthead/contract/domains/states.ts'
import { findCertificateStates, noCertificate } from '../certificates/certificate-state.ts'
import { requestCertificate } from '../certificates/jobs/request-certificate.ts'
import { system } from '../events/record-event.ts'
import { second } from '../kernel/clock.ts'
import { checkDomain } from './checks/check-domain.ts'
import type { DomainContext } from './context.ts'
import { certificateAccount } from './https/certificate-need.ts'
import { loseCertificate } from './https/lose-certificate.ts'
import { type ProbeTargets, probeDomain } from './https/probe-domain.ts'
import { type Leased, leaseDue, releaseWithBackoff, stopChecking } from './lease-store.ts'

type StepResult = 'over' | 'goes_on'
type Step = (context: DomainContext, leased: Leased, reconciling: ReconcileOptions) => Promise<StepResult>

/**
 * The walk of a domain, from what is stored: each state, in the order in which they are come to, and what is done, in
 * turn, when a domain in it is due. DNS leads to `verified`, which has a certificate got; with that in place our own
 * request leads to `live`, and from then on all three are watched. A step stores what it found, and the last one when
 * the domain is due next; each can be taken again after a crash. Which state follows stands in the table
 * `domainTransitions`.
 */
const stepsByState: Record<DomainState, readonly Step[]> = {
  pending: [runDnsCheck],
  verified: [ensureCertificate, probe, runDnsCheck],
  live: [ensureCertificate, probe, runDnsCheck],
  drifted: [ensureCertificate, probe, runDnsCheck],
  failed: [stopChecks],
  suspended: [stopChecks],
}

export interface ReconcileOptions {
  /** Different for every process that reconciles. */
  owner: string
  log: { error(details: object, message: string): void }
  concurrency?: number
  stopping?: AbortSignal
  /** Where our own requests go. Without it none are made here, and domains wait for a process that makes them. */
  probing?: ProbeTargets
}

/**
 * Takes a step of every domain that is due, so many at once, and ends when none is due or under way. A nameserver
 * that is slow to answer holds up its own domain only: what becomes due meanwhile is taken as well.
 */
export async function reconcileDue(context: DomainContext, reconciling: ReconcileOptions): Promise<void> {
  const { owner, log, concurrency = 16, stopping } = reconciling
  const { database, now } = context
  const underWay = new Set<Promise<void>>()

  async function takeStep(leased: Leased): Promise<void> {
    const { id, hostname, state } = leased.row
    try {
      for (const step of stepsByState[state]) {
        if ((await step(context, leased, reconciling)) === 'over') return
      }
    } catch (error) {
      if (error !== stopping?.reason) {
        log.error({ err: error, domain: id, hostname }, 'a step of a domain failed and will be taken again')
      }
      await releaseWithBackoff(database, leased, now()).catch((err: unknown) => {
        log.error({ err, domain: id, hostname }, 'a domain could not be put back and waits for its lease')
      })
    }
  }

  try {
    while (stopping?.aborted !== true) {
      const free = concurrency - underWay.size
      const leased = free > 0 ? await leaseDue(database, owner, now(), free) : []
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

/** Certificates come by themselves once they are asked for; here nothing is left waiting for one that does not. */
async function ensureCertificate(context: DomainContext, { row }: Leased): Promise<StepResult> {
  const { database, now } = context
  const { hostname: name } = row
  const states = await findCertificateStates(database.read, [name], now())
  const { status, notAfter, lastError } = states.get(name) ?? noCertificate
  if (status === 'valid') return 'goes_on'
  const isRefused = status === 'failed' && lastError !== null
  const hasRunOut = notAfter !== null && row.state !== 'verified'
  const loss = hasRunOut ? 'certificate_expired' : isRefused ? 'refused_for_good' : null
  if (loss !== null && (await loseCertificate(context, row, loss))) return 'over'
  if (status !== 'pending') {
    const wanted = { name, reason: 'first', at: now(), account: certificateAccount(row) } as const
    await database.write((tx) => requestCertificate(context, tx, wanted))
  }
  return 'goes_on'
}

async function probe(
  context: DomainContext,
  { row }: Leased,
  { probing }: ReconcileOptions,
): Promise<StepResult> {
  if (probing !== undefined) await probeDomain(context, probing, row)
  return 'goes_on'
}

async function runDnsCheck(
  context: DomainContext,
  { row, lease }: Leased,
  { stopping }: ReconcileOptions,
): Promise<StepResult> {
  await checkDomain(context, row, { by: system, lease, signal: stopping })
  return 'over'
}

async function stopChecks({ database }: DomainContext, leased: Leased): Promise<StepResult> {
  await stopChecking(database, leased)
  return 'over'
}
