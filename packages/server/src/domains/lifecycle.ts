import type { DomainState } from '@masthead/contract/domains/states.ts'
import { findCertificateStates, noCertificate } from '../certificates/certificate-state.ts'
import { requestCertificate } from '../certificates/jobs/request-certificate.ts'
import { system } from '../events/record-event.ts'
import { exactTime } from '../kernel/clock.ts'
import { checkDomain } from './checks/check-domain.ts'
import type { DomainContext } from './context.ts'
import { accountsWithDue } from './due-store.ts'
import { runDueWork } from './due-work.ts'
import { certificateAccount } from './https/certificate-need.ts'
import { loseCertificate } from './https/lose-certificate.ts'
import { type ProbeTargets, probeDomain } from './https/probe-domain.ts'
import { type Leased, leaseNext, releaseNow, releaseWithBackoff, stopChecking } from './lease-store.ts'

type StepResult = 'done' | 'continue'
type Step = (context: DomainContext, leased: Leased, reconciling: ReconcileOptions) => Promise<StepResult>

/**
 * What to do, in order, when a domain in each state is due. Right DNS makes it `verified`, which requests a
 * certificate; a delegation makes it `prepared`, which does so while DNS still points elsewhere. Once that is installed, a successful test request makes it `live`, and from then on all three are
 * watched. Each step stores what it found, the last one also when the domain is due next, so every step can be
 * repeated after a crash. `domainTransitions` says which state follows.
 */
const stepsByState: Record<DomainState, readonly Step[]> = {
  pending: [runDnsCheck],
  prepared: [ensureCertificate, probe, runDnsCheck],
  verified: [ensureCertificate, probe, runDnsCheck],
  live: [ensureCertificate, probe, runDnsCheck],
  drifted: [ensureCertificate, probe, runDnsCheck],
  failed: [stopChecks],
  suspended: [stopChecks],
}

export interface ReconcileOptions {
  /** Unique per process that reconciles. */
  owner: string
  log: { error(details: object, message: string): void }
  concurrency?: number
  stopping?: AbortSignal
  /** Where test requests go. Without it this process makes none, and domains wait for one that does. */
  probing?: ProbeTargets
}

/**
 * Processes all due domains, several at a time, and returns when none is due or in progress. A slow nameserver delays
 * only its own domain, and many of them only their own account.
 */
export async function reconcileDue(context: DomainContext, reconciling: ReconcileOptions): Promise<void> {
  const { owner, log, concurrency, stopping } = reconciling
  const { database, now } = context

  async function takeStep(leased: Leased): Promise<void> {
    const { id, hostname, state } = leased.row
    try {
      for (const step of stepsByState[state]) {
        if ((await step(context, leased, reconciling)) === 'done') return
      }
    } catch (error) {
      const isStopped = error === stopping?.reason
      if (!isStopped) {
        log.error({ err: error, domain: id, hostname }, 'a step of a domain failed and will be retried')
      }
      const release = isStopped ? releaseNow(database, leased) : releaseWithBackoff(database, leased, now())
      await release.catch((err: unknown) => {
        log.error(
          { err, domain: id, hostname },
          'a domain could not be released and waits for its lease to expire',
        )
      })
    }
  }

  await runDueWork({
    now: () => exactTime(now),
    accounts: (span) => accountsWithDue(database, 'domains', span),
    lease: (account, at) => leaseNext(database, { owner, account, now: at }),
    run: takeStep,
    concurrency,
    stopping,
  })
}

/** Requests a missing certificate, and moves the domain on when none can come or the old one has expired. */
async function ensureCertificate(context: DomainContext, { row }: Leased): Promise<StepResult> {
  const { database, now } = context
  const { hostname: name } = row
  const states = await findCertificateStates(database.read, [name], now())
  const { status, notAfter, lastError } = states.get(name) ?? noCertificate
  if (status === 'valid') return 'continue'
  const isRefused = status === 'failed' && lastError !== null
  const hasRunOut = notAfter !== null && ranOut(row, Date.parse(notAfter))
  const loss = hasRunOut ? 'certificate_expired' : isRefused ? 'refused_for_good' : null
  if (loss !== null && (await loseCertificate(context, row, loss))) return 'done'
  if (status !== 'pending') {
    const wanted = { name, reason: 'first', at: now(), account: certificateAccount(row) } as const
    await database.write((tx) => requestCertificate(context, tx, wanted))
  }
  return 'continue'
}

/** Not if it had expired when the domain was prepared again: the next one is on its way, and each loss would hurry it. */
function ranOut({ state, state_since }: Leased['row'], notAfter: number): boolean {
  if (state === 'prepared') return notAfter > state_since
  return state !== 'verified'
}

async function probe(
  context: DomainContext,
  { row }: Leased,
  { probing }: ReconcileOptions,
): Promise<StepResult> {
  if (probing !== undefined) await probeDomain(context, probing, row)
  return 'continue'
}

async function runDnsCheck(
  context: DomainContext,
  { row, lease }: Leased,
  { stopping }: ReconcileOptions,
): Promise<StepResult> {
  await checkDomain(context, row, { by: system, lease, signal: stopping })
  return 'done'
}

async function stopChecks({ database }: DomainContext, leased: Leased): Promise<StepResult> {
  await stopChecking(database, leased)
  return 'done'
}
