import { randomUUID } from 'node:crypto'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { forgetDeletedAccounts } from '../accounts/account-lifecycle.ts'
import { forgetOldRequests } from '../api/idempotency.ts'
import type { CertificateContext } from '../certificates/jobs/issuer.ts'
import { startCertificateWorker } from '../certificates/jobs/worker.ts'
import { renewDue, renewFromOtherIssuers } from '../certificates/renew.ts'
import type { Config } from '../config/config.ts'
import { encodeNextDeployment } from '../deployments/encode/encode-deployment.ts'
import { sweep } from '../deployments/sweep.ts'
import { removeLeftoverProjects } from '../domains/claims/delete-account.ts'
import { pruneTombstones } from '../domains/claims/tombstones.ts'
import type { DomainContext } from '../domains/context.ts'
import { createDomainHooks } from '../domains/https/domain-hooks.ts'
import type { ProbeTargets } from '../domains/https/probe-domain.ts'
import { reconcileDue } from '../domains/lifecycle.ts'
import { findSite } from '../domains/read.ts'
import { pruneTimeline } from '../domains/timeline/timeline.ts'
import { findPlatformName } from '../edge/sites/host.ts'
import { hour, minute, second } from '../kernel/clock.ts'
import type { SiteTarget } from '../projects/site.ts'
import { forgetReleasedSlugs } from '../projects/slugs.ts'

/** Where our own requests to a domain go: to the edge of this machine, or else to the first of its public addresses. */
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

interface Chore {
  name: string
  /** Tells whether there may be more to do at once. */
  run: () => Promise<boolean>
  every: number
}

export interface WorkerParts {
  certificates: CertificateContext
  probing: ProbeTargets
  log: Pick<Logger, 'error' | 'warn'>
}

export interface Worker {
  /** Resolves when what is running has come to its end. */
  stop(): Promise<void>
}

/** What is done beside answering requests. Each chore starts from stored state, so it can end anywhere. */
export function startWorker(context: DomainContext, { certificates, probing, log }: WorkerParts): Worker {
  const stopping = new AbortController()
  const reconciling = { owner: randomUUID(), log, stopping: stopping.signal, probing }
  const domains = createDomainHooks(context, probing)
  const certifying = startCertificateWorker(certificates, {
    ...domains,
    isAllowed: async (name) => (await isOfPlatform(name)) || domains.isAllowed(name),
    log,
  })
  renewFromOtherIssuers(certificates).catch((err: unknown) => {
    log.error({ err }, 'certificates of another CA are replaced when they are due')
  })
  const chores: Chore[] = [
    {
      name: 'move domains on',
      run: () => reconcileDue(context, reconciling).then(() => false),
      every: second,
    },
    { name: 'renew certificates', run: () => renewDue(certificates, log), every: minute },
    { name: 'compress files', run: () => encodeNextDeployment(context, stopping.signal), every: second },
    { name: 'remove unused files', run: () => sweep(context).then(() => false), every: minute },
    { name: 'forget old timelines', run: () => pruneTimeline(context), every: hour },
    { name: 'forget slugs released long ago', run: () => forgetReleasedSlugs(context), every: hour },
    { name: 'forget old tombstones', run: () => pruneTombstones(context), every: hour },
    {
      name: 'remove deleted accounts',
      run: () => removeLeftoverProjects(context).then(() => false),
      every: minute,
    },
    { name: 'forget deleted accounts', run: () => forgetDeletedAccounts(context), every: hour },
    { name: 'forget old requests', run: () => forgetOldRequests(context).then(() => false), every: hour },
  ]

  async function isOfPlatform(name: string): Promise<boolean> {
    const { naming } = context
    const find = (target: SiteTarget) => findSite(context, target, naming.platformDomain)
    return (await findPlatformName(name, naming, find)) !== null
  }

  async function keepDoing({ name, run, every }: Chore): Promise<void> {
    while (!stopping.signal.aborted) {
      const more = await run().catch((error: unknown) => {
        log.error({ err: error, chore: name }, 'a chore failed and will be tried again')
        return false
      })
      // SQLite answers without a turn of the event loop: a chore with much to do must not keep it from others.
      const pause = more ? immediate() : sleep(every, undefined, { signal: stopping.signal, ref: false })
      await pause.catch(() => {})
    }
  }

  const running = chores.map(keepDoing)
  return {
    async stop() {
      stopping.abort()
      await Promise.all([...running, certifying.stop()])
    },
  }
}
