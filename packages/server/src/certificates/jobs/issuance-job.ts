import type { Id } from '@masthead/contract/schemas/fields.ts'
import { hour } from '../../kernel/clock.ts'
import { hasOwnCertificate, isOwnKept, type OwnCertificateRow } from '../own/own-certificates.ts'
import { type CertificateRow, deleteCertificate, findCertificateRow, scheduleCheck } from '../store.ts'
import { type CertificateError, jobAfterFailure } from './backoff.ts'
import { deleteChallenges } from './challenge-store.ts'
import { unexpectedFailure } from './failure.ts'
import { installCertificate } from './install-certificate.ts'
import type { CertificateContext, Issuer, Outcome } from './issuer.ts'
import { type ClaimedJob, isRequestedAgain, LeaseLostError } from './job.ts'
import { finishJob, lockJob, releaseJob } from './job-lease-store.ts'
import { serveOwnCertificate } from './serve-own-certificate.ts'
import { type Attempted, type PassedOver, tryAuthorities } from './try-authorities.ts'

export type CertificateProgress =
  | { step: 'ordered'; authority: string; passedOver: PassedOver[] }
  | { step: 'installed'; authority: string; serial: string; notAfter: number; passedOver: PassedOver[] }
  /** A certificate that its owner uploaded. */
  | { step: 'own_installed'; issuer: string; serial: string; notAfter: number }
  /** `nextAttemptAt` is null if we won't retry automatically. */
  | { step: 'failed'; error: CertificateError; nextAttemptAt: number | null; passedOver: PassedOver[] }

/** How certificate jobs ask about names, and report to their owner. */
export interface DomainHooks {
  /** Whether the name should have a certificate: it is registered and points here. Called before every attempt. */
  isAllowed(name: string): Promise<boolean>
  /** Whether a name that is not allowed no longer belongs to anyone, so that its certificate can be deleted. */
  isGone(name: string): Promise<boolean>
  /** The domain that holds the name, whose owner may have uploaded a certificate. */
  holderOf?(name: string): Promise<Id<'domain'> | null>
  onInstalled(name: string): Promise<void>
  /** Called in order, one at a time. */
  onProgress?(name: string, progress: CertificateProgress): Promise<void>
  /** Called after each attempt at a certificate authority, also if the next one is asked then. */
  onTried?(issuer: Issuer, outcome: Outcome): void
  log: { error(details: object, message: string): void }
}

/** A name that is not allowed now may be later, so we check its certificate again after this. */
const notAllowedPause = hour

/** Runs one attempt of a claimed job and stores the outcome. */
export async function runJob(
  context: CertificateContext,
  job: ClaimedJob,
  hooks: DomainHooks,
  stopping: AbortSignal,
): Promise<void> {
  const { name } = job.row
  const logError = (err: unknown) => hooks.log.error({ err, name }, 'a step of a certificate job failed')
  let reported = Promise.resolve()
  const report = (progress: CertificateProgress) => {
    reported = reported.then(() => hooks.onProgress?.(name, progress)).catch(logError)
  }
  try {
    const current = await findCertificateRow(context.database.read, name)
    if (isFresh(context, job, current)) {
      if (await finishUnlessRequested(context, job)) await hooks.onInstalled(name)
      return
    }
    if (!(await hooks.isAllowed(name))) return await dropJob(context, job, await hooks.isGone(name))
    const own = await installOwn(context, job, hooks)
    if (own !== null) {
      const { issuer_title: issuer, serial, not_after: notAfter } = own
      report({ step: 'own_installed', issuer, serial, notAfter })
      await reported
      await hooks.onInstalled(name)
      return
    }
    const tell = {
      ordered: ({ title }: Issuer, passedOver: PassedOver[]) =>
        report({ step: 'ordered', authority: title, passedOver }),
      tried: (issuer: Issuer, outcome: Outcome) => hooks.onTried?.(issuer, outcome),
    }
    const attempted = await tryAuthorities(context, job, current?.issuer ?? null, tell, stopping)
    const { outcome, passedOver } = attempted
    if (outcome.kind === 'issued') {
      await installCertificate(context, job, outcome, attempted)
      const { serial, notAfter } = outcome.issued
      report({ step: 'installed', authority: attempted.issuer.title, serial, notAfter, passedOver })
      await reported
      await hooks.onInstalled(name)
    } else if (outcome.kind === 'later') {
      await releaseUntil(context, job, outcome.at)
    } else {
      report(await recordFailure(context, job, { ...attempted, outcome }))
    }
  } catch (error) {
    if (error instanceof LeaseLostError) return
    logError(error)
    const outcome = { kind: 'failed', failure: unexpectedFailure() } as const
    const [issuer] = context.issuers
    await recordFailure(context, job, { issuer, outcome, passedOver: [] }).then(report, (failed: unknown) => {
      if (!(failed instanceof LeaseLostError)) logError(failed)
    })
  } finally {
    await reported
  }
}

/**
 * Another process may have obtained it since the job was requested. A person who asks for another
 * one gets it, because the current one may have been revoked; an uploaded one is only replaced by its owner.
 */
function isFresh(
  { now, issuers }: CertificateContext,
  job: ClaimedJob,
  row: CertificateRow | undefined,
): boolean {
  if (row === undefined || row.renew_at <= now()) return false
  return isOwnKept(row, now()) || (job.row.reason !== 'asked' && issuers.some(({ id }) => id === row.issuer))
}

/** False if someone requested it since we looked at the certificate, which may be due by now: the job runs again. */
function finishUnlessRequested({ database, now }: CertificateContext, job: ClaimedJob): Promise<boolean> {
  return database.write(async (tx) => {
    const current = await lockJob(database, tx, job)
    // A renewal of this certificate counts too, although it does not hurry a job that waits.
    const isFinished = !isRequestedAgain(job, current) && current.reason === job.row.reason
    if (!isFinished) {
      await releaseJob(tx, job, { next_attempt_at: now() })
      return false
    }
    await finishJob(tx, job)
    // It seemed due to a clock that was ahead.
    await scheduleCheck(tx, job.row.name, now())
    return true
  })
}

/** Uses the certificate that the owner of the name uploaded. Null if there is none. */
async function installOwn(
  context: CertificateContext,
  job: ClaimedJob,
  hooks: DomainHooks,
): Promise<OwnCertificateRow | null> {
  const { name } = job.row
  const domainId = (await hooks.holderOf?.(name)) ?? null
  if (domainId === null || !(await hasOwnCertificate(context.database.read, domainId))) return null
  return context.database.write(async (tx) => {
    await context.changes.record(tx, { kind: 'certificate', subject: name })
    // Throws if we have lost the lease on the job.
    await lockJob(context.database, tx, job)
    return serveOwnCertificate(context, tx, { name, domainId })
  })
}

async function dropJob(
  { database, now, changes }: CertificateContext,
  job: ClaimedJob,
  isGone: boolean,
): Promise<void> {
  const { name } = job.row
  await database.write(async (tx) => {
    if (isGone) await changes.record(tx, { kind: 'certificate', subject: name })
    // Someone may have claimed the name since we checked.
    const current = await lockJob(database, tx, job)
    if (isRequestedAgain(job, current)) return releaseJob(tx, job, { next_attempt_at: now() })
    await finishJob(tx, job)
    await deleteChallenges(tx, name)
    if (isGone) await deleteCertificate(tx, name)
    else await scheduleCheck(tx, name, now() + notAllowedPause)
  })
}

/** Retries immediately instead if someone requested it in the meantime. */
async function releaseUntil(
  { database, now }: CertificateContext,
  job: ClaimedJob,
  at: number,
): Promise<void> {
  await database.write(async (tx) => {
    const current = await lockJob(database, tx, job)
    await releaseJob(tx, job, { next_attempt_at: isRequestedAgain(job, current) ? now() : at })
  })
}

async function recordFailure(
  { database, now, issuers }: CertificateContext,
  job: ClaimedJob,
  { issuer, outcome, passedOver }: Attempted & { outcome: Extract<Outcome, { kind: 'failed' }> },
): Promise<CertificateProgress> {
  const { name } = job.row
  const { failure, orderIsOver = false } = outcome
  return database.write(async (tx) => {
    // Read again: the attempt stored its order, and someone may have requested the certificate again.
    const row = await lockJob(database, tx, job)
    const failed = {
      failure,
      orderIsOver,
      authority: issuer.title,
      isRequestedAgain: isRequestedAgain(job, row),
      isCovered: ((await findCertificateRow(tx, name))?.not_after ?? 0) > now(),
    }
    const change = jobAfterFailure(row, failed, now(), Math.random())
    await releaseJob(tx, job, change)
    if (change.order_url === null) await deleteChallenges(tx, name)
    const dropsOrder = row.order_url !== null && change.order_url === null
    if (dropsOrder) {
      const ofOrder = issuers.find(({ id }) => id === row.issuer)
      const hasFailed = orderIsOver && ofOrder === issuer
      await ofOrder?.closeOrder(tx, name, hasFailed ? 'failed' : 'abandoned')
    }
    const error: CertificateError = JSON.parse(change.last_error ?? 'null')
    return { step: 'failed', error, nextAttemptAt: change.next_attempt_at ?? null, passedOver }
  })
}
