import { hour } from '../../kernel/clock.ts'
import type { CertificateContext, Outcome } from '../context.ts'
import { deleteCertificate, findCertificateRow, scheduleCheck } from '../store.ts'
import { type CertificateError, jobAfterFailure } from './backoff.ts'
import { deleteChallenges } from './challenge-store.ts'
import { unexpectedFailure } from './failure.ts'
import { installCertificate } from './install-certificate.ts'
import {
  type ClaimedJob,
  finishJob,
  isRequestedAgain,
  LeaseLostError,
  lockJob,
  releaseJob,
} from './job-store.ts'

export type CertificateProgress =
  | { step: 'ordered'; authority: string }
  | { step: 'installed'; authority: string; serial: string; notAfter: number }
  /** Without a next attempt: refused for good. */
  | { step: 'failed'; error: CertificateError; nextAttemptAt: number | null }

/** What certificates ask of, and tell, whoever the names belong to. */
export interface DomainHooks {
  /** Whether the name is one to get a certificate for: registered, and pointing here. Asked before every attempt. */
  allowed(name: string): Promise<boolean>
  /** Whether a name that is not allowed is nobody's any more, so that its certificate goes too. */
  isGone(name: string): Promise<boolean>
  /** The name has a certificate that can be served. */
  onInstalled(name: string): Promise<void>
  /** In the order in which it happened. */
  onProgress?(name: string, progress: CertificateProgress): Promise<void>
  log: { error(details: object, message: string): void }
}

/** A name that is not allowed now may be again: its old certificate is looked at once more. */
const notAllowedPause = hour

/** One attempt of one job, from looking again after winning it to storing what came of it. */
export async function runJob(
  context: CertificateContext,
  job: ClaimedJob,
  upwards: DomainHooks,
  stopping: AbortSignal,
): Promise<void> {
  const { name } = job.row
  const { issuer } = context
  const warn = (err: unknown) => upwards.log.error({ err, name }, 'a step towards a certificate failed')
  let told = Promise.resolve()
  const tell = (progress: CertificateProgress) => {
    told = told.then(() => upwards.onProgress?.(name, progress)).catch(warn)
  }
  try {
    if (await hasFreshCertificate(context, name)) {
      await context.database.write((tx) => finishJob(tx, job))
      await upwards.onInstalled(name)
      return
    }
    if (!(await upwards.allowed(name))) return await dropJob(context, job, await upwards.isGone(name))
    const ordered = () => tell({ step: 'ordered', authority: issuer.title })
    const outcome = await issuer.attempt(job, { ordered }, stopping)
    if (outcome.kind === 'issued') {
      await installCertificate(context, job, outcome)
      const { serial, notAfter } = outcome.issued
      tell({ step: 'installed', authority: issuer.title, serial, notAfter })
      await told
      await upwards.onInstalled(name)
    } else if (outcome.kind === 'later') {
      await releaseUntil(context, job, outcome.at)
    } else {
      tell(await recordFailure(context, job, outcome))
    }
  } catch (error) {
    if (error instanceof LeaseLostError) return
    warn(error)
    const outcome: Outcome = { kind: 'failed', failure: unexpectedFailure() }
    await recordFailure(context, job, outcome).then(tell, (failed: unknown) => {
      if (!(failed instanceof LeaseLostError)) warn(failed)
    })
  } finally {
    await told
  }
}

/** Another process may have got it since the job was asked for. */
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
    // Somebody has come by the name since it was looked at.
    const current = await lockJob(database, tx, job)
    if (isRequestedAgain(job, current)) return releaseJob(tx, job, { next_attempt_at: now() })
    await finishJob(tx, job)
    await deleteChallenges(tx, name)
    if (isGone) await deleteCertificate(tx, name)
    else await scheduleCheck(tx, name, now() + notAllowedPause)
  })
}

/** Who asked meanwhile does not wait so long. */
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
    // As it is now: the attempt noted its order, and somebody may have asked again.
    const row = await lockJob(database, tx, job)
    const askedMeanwhile = isRequestedAgain(job, row)
    const isCovered = ((await findCertificateRow(tx, name))?.not_after ?? 0) > now()
    const failed = { failure, orderIsOver, authority: issuer.title, askedMeanwhile, isCovered }
    const change = jobAfterFailure(row, failed, now(), Math.random())
    await releaseJob(tx, job, change)
    if (change.order_url === null) await deleteChallenges(tx, name)
    const leavesOrder = row.order_url !== null && change.order_url === null
    if (leavesOrder && row.issuer === issuer.id) {
      await issuer.closeOrder(tx, name, orderIsOver ? 'failed' : 'abandoned')
    }
    const error: CertificateError = JSON.parse(change.last_error ?? 'null')
    return { step: 'failed', error, nextAttemptAt: change.next_attempt_at ?? null }
  })
}
