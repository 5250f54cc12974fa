import { randomUUID } from 'node:crypto'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { forgetDeletedAccounts } from './accounts/delete-account.ts'
import { forgetOldRequests } from './api/idempotency.ts'
import type { CertificateContext } from './certificates/context.ts'
import { renewDue, replaceThoseOfOthers } from './certificates/renew.ts'
import { startCertifying } from './certificates/work.ts'
import { hour, minute, second } from './clock.ts'
import { encodeNextDeployment } from './deployments/encode-deployment.ts'
import { sweep } from './deployments/sweep.ts'
import type { DomainContext } from './domains/context.ts'
import { removeLeftovers } from './domains/delete-account.ts'
import { followCertificates } from './domains/follow-certificates.ts'
import { forgetTimeline } from './domains/forget-timeline.ts'
import { forgetTombstones } from './domains/forget-tombstones.ts'
import { reconcileDue } from './domains/lifecycle.ts'
import type { Probing } from './domains/probe-domain.ts'
import { findSite } from './domains/read.ts'
import { findPlatformName } from './edge/server-name.ts'
import { forgetReleasedSlugs } from './projects/released-slugs.ts'
import type { SiteTarget } from './projects/site.ts'

interface Chore {
  name: string
  /** Tells whether there may be more to do at once. */
  run: () => Promise<boolean>
  every: number
}

export interface WorkerParts {
  certificates: CertificateContext
  probing: Probing
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
  const domains = followCertificates(context, probing)
  const certifying = startCertifying(certificates, {
    ...domains,
    allowed: async (name) => (await isOfPlatform(name)) || domains.allowed(name),
    log,
  })
  replaceThoseOfOthers(certificates).catch((err: unknown) => {
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
    { name: 'forget old timelines', run: () => forgetTimeline(context), every: hour },
    { name: 'forget slugs released long ago', run: () => forgetReleasedSlugs(context), every: hour },
    { name: 'forget old tombstones', run: () => forgetTombstones(context), every: hour },
    { name: 'remove deleted accounts', run: () => removeLeftovers(context).then(() => false), every: minute },
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
