import type { Tx } from '../../database/database.ts'
import { day } from '../../kernel/clock.ts'
import type { CertificateContext, IssuingContext } from '../context.ts'
import { deleteCertificate, findCertificateRows } from '../store.ts'
import { deleteChallenges } from './challenge-store.ts'
import { deleteJob, findJob, findJobs, type JobRow, jobPriorities, upsertJob } from './job-store.ts'

export interface CertificateRequest {
  name: string
  reason: JobRow['reason']
  at: number
  /** The `ari_id` of the certificate that is renewed. */
  replaces?: string | null
  /** Where it is under way already it is left as it is, whatever the reason. */
  unlessUnderWay?: boolean
  /** For whose name. Null: the operator's own, or whoever had it so far. */
  account?: CertificateAccount | null
}

export interface CertificateAccount {
  id: string
  isPaying: boolean
}

/**
 * Has a certificate got for a name, by whichever worker is first. Where that is under way already, it is tried again
 * at once, whatever is waited for: the budget sees to it that the CA is not asked too often. A renewal leaves the time
 * as it is. To be called after every other lock is taken: the one of the change feed comes before the rows of
 * certificates, here and in whatever else changes them.
 */
export async function requestCertificate(
  { changes }: Pick<CertificateContext, 'changes'>,
  tx: Tx,
  { name, reason, at, replaces = null, unlessUnderWay = false, account = null }: CertificateRequest,
): Promise<void> {
  await changes.record(tx, { kind: 'certificate_due', subject: name })
  const again = reason === 'renewal' ? 'made_renewal' : unlessUnderWay ? 'left' : 'tried_at_once'
  await upsertJob(tx, newJob({ name, reason, at, replaces, account }), again)
}

function newJob({
  name,
  reason,
  at,
  replaces,
  account,
}: Required<Omit<CertificateRequest, 'unlessUnderWay'>>): JobRow {
  return {
    name,
    reason,
    issuer: null,
    order_url: null,
    sealed_key: null,
    challenge_kind: 'http-01',
    replaces,
    attempts: 0,
    rung: 0,
    problem_kind: null,
    last_error: null,
    next_attempt_at: at,
    asked_at: at,
    lease_owner: null,
    lease_until: 0,
    created_at: at,
    generation: 0,
    account_id: account?.id ?? null,
    priority: account === null || account.isPaying ? jobPriorities.first : jobPriorities.usual,
  }
}

/** A name that the CA refused for good, and that nobody can have tried again, is by whoever wants it after this. */
const refusalCounts = day

/** Has a certificate got where nobody does yet. How soon the CA is asked again is never decided by this. */
export async function ensureCertificateRequested(
  context: Pick<IssuingContext, 'database' | 'now' | 'changes'>,
  name: string,
  account: CertificateAccount | null,
): Promise<void> {
  const { database, now } = context
  if (isUnderWay(await findJob(database.read, name), now())) return
  await database.write(async (tx) => {
    const job = await findJob(tx, name)
    if (isUnderWay(job, now())) return
    const unlessUnderWay = job === undefined
    await requestCertificate(context, tx, { name, reason: 'first', at: now(), unlessUnderWay, account })
  })
}

function isUnderWay(job: JobRow | undefined, now: number): boolean {
  if (job === undefined) return false
  return job.next_attempt_at !== null || job.lease_until > now || job.asked_at > now - refusalCounts
}

/** The name is not served any more: no certificate is offered, and none is got. Called after every other lock. */
export async function cancelCertificate(
  { changes }: Pick<CertificateContext, 'changes'>,
  tx: Tx,
  name: string,
): Promise<void> {
  await changes.record(tx, { kind: 'certificate', subject: name })
  await deleteJob(tx, name)
  await deleteCertificate(tx, name)
  await deleteChallenges(tx, name)
}

/** The same for names of which most never had one: nobody is told of those. */
export async function cancelCertificates(
  context: Pick<CertificateContext, 'changes'>,
  tx: Tx,
  names: readonly string[],
): Promise<void> {
  const kept = [...(await findCertificateRows(tx, names)), ...(await findJobs(tx, names))]
  for (const name of new Set(kept.map((row) => row.name))) await cancelCertificate(context, tx, name)
}
