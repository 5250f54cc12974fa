import { hour } from '../../kernel/clock.ts'
import { deleteCertificate, findCertificateRow, scheduleCheck } from '../store.ts'
import { type CertificateError, jobAfterFailure } from './backoff.ts'
import { deleteChallenges } from './challenge-store.ts'
import { unexpectedFailure } from './failure.ts'
import { installCertificate } from './install-certificate.ts'
import type { CertificateContext, Outcome } from './issuer.ts'
import { type ClaimedJob, isRequestedAgain, LeaseLostError } from './job.ts'
import { finishJob, lockJob, releaseJob } from './job-lease-store.ts'

export type CertificateProgress =
  | { step: 'ordered'; authority: string }
  | { step: 'installed'; authority: string; serial: string; notAfter: number }
  /** `nextAttemptAt` is null if we won't retry automatically. */
  | { step: 'failed'; error: CertificateError; nextAttemptAt: number | null }

/** How certificate jobs ask about names, and report to their owner. */
export interface DomainHooks {
  /** Whether the name should have a certificate: it is registered and points here. Called before every attempt. */
  isAllowed(name: string): Promise<boolean>
  /** Whether a name that is not allowed no longer belongs to anyone, so that its certificate can be deleted. */
  isGone(name: string): Promise<boolean>
  onInstalled(name: string): Promise<void>
  /** Called in order, one at a time. */
  onProgress?(name: string, progress: CertificateProgress): Promise<void>
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
  const { issuer } = context
  const logError = (err: unknown) => hooks.log.error({ err, name }, 'a step of a certificate job failed')
  let reported = Promise.resolve()
  const report = (progress: CertificateProgress) => {
    reported = reported.then(() => hooks.onProgress?.(name, progress)).catch(logError)
  }
  try {
    if (await hasFreshCertificate(context, name)) {
      await context.database.write((tx) => finishJob(tx, job))
      await hooks.onInstalled(name)
      return
    }
    if (!(await hooks.isAllowed(name))) return await dropJob(context, job, await hooks.isGone(name))
    const ordered = () => report({ step: 'ordered', authority: issuer.title })
    const outcome = await issuer.attempt(job, { ordered }, stopping)
    if (outcome.kind === 'issued') {
      await installCertificate(context, job, outcome)
      const { serial, notAfter } = outcome.issued
      report({ step: 'installed', authority: issuer.title, serial, notAfter })
      await reported
      await hooks.onInstalled(name)
    } else if (outcome.kind === 'later') {
      await releaseUntil(context, job, outcome.at)
    } else {
      report(await recordFailure(context, job, outcome))
    }
  } catch (error) {
    if (error instanceof LeaseLostError) return
    logError(error)
    const outcome: Outcome = { kind: 'failed', failure: unexpectedFailure() }
    await recordFailure(context, job, outcome).then(report, (failed: unknown) => {
      if (!(failed instanceof LeaseLostError)) logError(failed)
    })
  } finally {
    await reported
  }
}

/** Another process may have obtained it since the job was requested. */
async function hasFreshCertificate(
  { database, now, issuer }: CertificateContext,
  name: string,
): Promise<boolean> {
  const row = await findCertificateRow(database.read, name)
  return row !== undefined && row.issuer === issuer.id && row.renew_at > now()
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
  { database, now, issuer }: CertificateContext,
  job: ClaimedJob,
  { failure, orderIsOver = false }: Extract<Outcome, { kind: 'failed' }>,
): Promise<CertificateProgress> {
  const { name } = job.row
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
    if (dropsOrder && row.issuer === issuer.id) {
      await issuer.closeOrder(tx, name, orderIsOver ? 'failed' : 'abandoned')
    }
    const error: CertificateError = JSON.parse(change.last_error ?? 'null')
    return { step: 'failed', error, nextAttemptAt: change.next_attempt_at ?? null }
  })
}
