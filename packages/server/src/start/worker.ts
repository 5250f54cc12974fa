import { randomUUID } from 'node:crypto'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import { forgetDeletedAccounts } from '../accounts/account-lifecycle.ts'
import { forgetOldRequests } from '../api/idempotency.ts'
import { AuthorityOutages } from '../certificates/failing/authority-outages.ts'
import { registerCertificateMetrics } from '../certificates/failing/metrics.ts'
import type { CertificateContext } from '../certificates/jobs/issuer.ts'
import { startCertificateWorker } from '../certificates/jobs/worker.ts'
import { renewDue, renewFromOtherIssuers } from '../certificates/renew.ts'
import type { Config } from '../config/config.ts'
import { createRetryFromFuture } from '../database/from-future.ts'
import { encodeNextDeployment } from '../deployments/encode/encode-deployment.ts'
import { sweep } from '../deployments/sweep/sweep.ts'
import { SweepPauses } from '../deployments/sweep/sweep-pauses.ts'
import type { Dns } from '../dns/dns.ts'
import { finishPlanChanges } from '../domains/claims/change-plan.ts'
import { removeLeftovers } from '../domains/claims/delete-account.ts'
import { pruneTombstones } from '../domains/claims/tombstones.ts'
import type { DomainContext } from '../domains/context.ts'
import { createDomainHooks } from '../domains/https/domain-hooks.ts'
import type { ProbeTargets } from '../domains/https/probe-domain.ts'
import { requestPlatformWildcard } from '../domains/https/request-platform-wildcard.ts'
import { reconcileDue } from '../domains/lifecycle.ts'
import { warnOfExpiring } from '../domains/own-certificate/warn-expiring.ts'
import { recheckProofs } from '../domains/proofs/recheck-proofs.ts'
import { pruneTimeline } from '../domains/timeline/timeline.ts'
import { pruneEvents } from '../events/prune-events.ts'
import { exactTime, hour, minute, second, watchClock } from '../kernel/clock.ts'
import { type MailWorkerOptions, startMailWorker } from '../mail/worker.ts'
import { targetRules } from '../outgoing/target.ts'
import { pruneLinks } from '../people/prune-links.ts'
import { forgetReleasedSlugs } from '../projects/slugs.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { forgetExchanges } from '../trusted-publishers/exchange-token.ts'
import { startWebhookWorker } from '../webhooks/delivery/worker.ts'
import { platformHooks } from './platform-names.ts'

/** Where probes of a domain connect: to the edge in this process, or else to the first public edge address. */
export function probingOf(
  config: Pick<Config, 'roles' | 'host' | 'httpsPort' | 'publicHttpsPort' | 'edgeAddresses'>,
): ProbeTargets {
  const { host, httpsPort: port, publicHttpsPort: publicPort } = config
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const edgeAt = config.roles.has('edge')
    ? { host: own, port }
    : { host: config.edgeAddresses[0] ?? own, port: publicPort }
  return { edgeAt, publicPort }
}

interface PeriodicJob {
  name: string
  /** Resolves to whether there may be more to do right away. */
  run: () => Promise<boolean>
  every: number
}

export interface WorkerParts {
  certificates: CertificateContext
  sealing: Sealing
  /** Finds the endpoints of webhooks. */
  webhookDns: Pick<Dns, 'resolve'>
  probing: ProbeTargets
  mail: Pick<MailWorkerOptions, 'settings' | 'dashboard'>
  /** Whether projects share a certificate, if the operator has delegated its challenges. */
  wantsPlatformWildcard: boolean
  /** Whether no other process uses this database. */
  isAlone: boolean
  metrics: Registry
  log: Pick<Logger, 'error' | 'warn' | 'info'>
}

export interface Worker {
  /** Resolves when running jobs have ended. */
  stop(): Promise<void>
}

/** Runs the background jobs. Each starts from stored state, so it may be interrupted anywhere. */
export function startWorker(context: DomainContext, parts: WorkerParts): Worker {
  const { certificates, sealing, webhookDns, probing, mail, wantsPlatformWildcard, isAlone, metrics, log } =
    parts
  const failures = new Counter({
    name: 'masthead_job_failures_total',
    help: 'Failures of background jobs, which are retried',
    labelNames: ['task'],
    registers: [metrics],
  })
  const stopping = new AbortController()
  const reconciling = {
    owner: randomUUID(),
    log: logOf('check domains'),
    stopping: stopping.signal,
    probing,
  }
  const recheckingProofs = { log: logOf('check proofs of domains'), signal: stopping.signal }
  const pauses = new SweepPauses()
  const retryFromFuture = createRetryFromFuture(context.database, watchClock(context.now))
  const domains = createDomainHooks(context, probing)
  const platform = platformHooks(context, wantsPlatformWildcard)
  const outages = new AuthorityOutages(log, context.now)
  const certifying = startCertificateWorker(certificates, {
    ...domains,
    onTried: (issuer, outcome) => outages.tried(issuer, outcome),
    isAlone,
    isAllowed: async (name) => (await platform.isAllowed(name)) ?? domains.isAllowed(name),
    isGone: async (name) => (await platform.isGone(name)) ?? domains.isGone(name),
    log: logOf('issue certificates'),
  })
  const accountOf = async (name: string) =>
    (await domains.accountOf(name)) ?? (await platform.accountOf(name))
  const rules = targetRules(context.naming.platformDomain)
  const webhooks = startWebhookWorker(
    { ...context, sealing, dns: webhookDns, rules },
    { isAlone, log: logOf('deliver webhooks') },
  )
  const mailing = startMailWorker(context, { ...mail, isAlone, log: logOf('send mail') })
  renewFromOtherIssuers(certificates).catch((err: unknown) => {
    log.error(
      { err },
      'could not renew certificates of another CA early, so they are renewed when they are due',
    )
  })
  const measureCertificates = registerCertificateMetrics(metrics, context)
  const jobs: PeriodicJob[] = [
    {
      name: 'check domains',
      run: () => reconcileDue(context, reconciling).then(() => false),
      every: second,
    },
    { name: 'warn of own certificates', run: () => warnOfExpiring(context), every: minute },
    {
      name: 'check proofs of domains',
      run: () => recheckProofs(context, recheckingProofs).then(() => false),
      every: second,
    },
    {
      name: 'request the certificate of all projects',
      run: async () => {
        if (wantsPlatformWildcard) await requestPlatformWildcard(context, stopping.signal)
        return false
      },
      every: minute,
    },
    { name: 'finish plan changes', run: () => finishPlanChanges(context), every: 10 * second },
    {
      name: 'retry what a clock that was ahead put off',
      run: async () => {
        await retryFromFuture(await exactTime(context.now))
        return false
      },
      every: 10 * second,
    },
    { name: 'renew certificates', run: () => renewDue(certificates, log, accountOf), every: minute },
    {
      name: 'count failing certificates',
      run: () => measureCertificates().then(() => false),
      every: 15 * second,
    },
    { name: 'compress files', run: () => encodeNextDeployment(context, stopping.signal), every: second },
    { name: 'delete unused files', run: () => sweep(context, pauses).then(() => false), every: minute },
    { name: 'delete old events', run: () => pruneEvents(context), every: hour },
    { name: 'delete expired invitations and resets', run: () => pruneLinks(context), every: hour },
    { name: 'delete old timeline entries', run: () => pruneTimeline(context), every: hour },
    { name: 'delete slugs released long ago', run: () => forgetReleasedSlugs(context), every: hour },
    { name: 'delete old tombstones', run: () => pruneTombstones(context), every: hour },
    {
      name: 'delete contents of deleted accounts',
      run: () => removeLeftovers(context).then(() => false),
      every: minute,
    },
    { name: 'delete rows of deleted accounts', run: () => forgetDeletedAccounts(context), every: hour },
    {
      name: 'delete used tokens and keys of pipelines',
      run: () => forgetExchanges(context).then(() => false),
      every: 10 * minute,
    },
    {
      name: 'delete old idempotent requests',
      run: () => forgetOldRequests(context),
      every: hour,
    },
  ]

  /** For jobs that go on after an error: each that they log is a failure. */
  function logOf(task: string): Record<'error' | 'warn', (details: object, message: string) => void> {
    failures.inc({ task }, 0)
    return {
      warn: (details, message) => log.warn(details, message),
      error(details, message) {
        failures.inc({ task })
        log.error(details, message)
      },
    }
  }

  async function repeat({ name, run, every }: PeriodicJob): Promise<void> {
    failures.inc({ task: name }, 0)
    while (!stopping.signal.aborted) {
      const more = await run().catch((error: unknown) => {
        failures.inc({ task: name })
        log.error({ err: error, job: name }, 'a background job failed and will be retried')
        return false
      })
      // SQLite answers without a turn of the event loop: a job with much to do must not block others.
      const pause = more ? immediate() : sleep(every, undefined, { signal: stopping.signal, ref: false })
      await pause.catch(() => {})
    }
  }

  const running = jobs.map(repeat)
  return {
    async stop() {
      stopping.abort()
      await Promise.all([...running, certifying.stop(), webhooks.stop(), mailing.stop()])
    },
  }
}
