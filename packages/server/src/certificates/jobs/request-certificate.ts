import type { Reader, Tx } from '../../database/database.ts'
import { day } from '../../kernel/clock.ts'
import type { IssuingContext } from '../context.ts'
import { deleteCertificate, findCertificateRows } from '../store.ts'
import type { CertificateError } from './backoff.ts'
import { deleteChallenges } from './challenge-store.ts'
import type { FailureKind } from './failure.ts'
import type { CertificateContext } from './issuer.ts'
import { type JobRow, jobPriorities } from './job.ts'
import { deleteJob, findJob, findJobs, forgetFailure, upsertJob } from './job-store.ts'

export interface CertificateRequest {
  name: string
  reason: JobRow['reason']
  at: number
  /** The `ari_id` of the certificate being renewed. */
  replaces?: string | null
  /** Leaves an existing job unchanged, whatever the reason. */
  keepExisting?: boolean
  /** The account that owns the name. Null for the operator's own names, and to keep the account of an existing job. */
  account?: CertificateAccount | null
}

export interface CertificateAccount {
  id: string
  isPaying: boolean
}

/**
 * Queues a certificate job for the workers. If the name already has one, it is retried immediately, whatever its
 * backoff: the budget protects the CA from too many orders. A renewal leaves the retry time of an existing job alone.
 * Call this after taking every other lock: everything that changes certificates locks the change feed before the rows.
 */
export async function requestCertificate(
  { changes }: Pick<CertificateContext, 'changes'>,
  tx: Tx,
  { name, reason, at, replaces = null, keepExisting = false, account = null }: CertificateRequest,
): Promise<void> {
  await changes.record(tx, { kind: 'certificate_due', subject: name })
  const onExisting = reason === 'renewal' ? 'make_renewal' : keepExisting ? 'keep' : 'retry_now'
  await upsertJob(tx, newJob({ name, reason, at, replaces, account }), onExisting)
}

function newJob({
  name,
  reason,
  at,
  replaces,
  account,
}: Required<Omit<CertificateRequest, 'keepExisting'>>): JobRow {
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

const dnsFailures = ['caa_forbids', 'delegation'] as const satisfies FailureKind[]

/** What a job waits for. A check of DNS may find it before the next attempt does. */
export interface AwaitedDns {
  kind: (typeof dnsFailures)[number]
  failedAt: number
}

/** Null if the job of the name waits for nothing in DNS, or runs soon anyway. */
export async function findAwaitedDns(db: Reader, name: string, now: number): Promise<AwaitedDns | null> {
  const job = await findJob(db, name)
  const kind = dnsFailures.find((one) => one === job?.problem_kind)
  if (job === undefined || kind === undefined || (job.next_attempt_at ?? 0) <= now) return null
  const { at }: CertificateError = JSON.parse(job.last_error ?? '{}')
  return { kind, failedAt: Date.parse(at) }
}

/** What the job waited for is in DNS. Such a failure places no order, so another attempt costs look-ups only. */
export async function retryWithRightDns(
  context: Pick<CertificateContext, 'changes'>,
  tx: Tx,
  { name, at, account }: Required<Pick<CertificateRequest, 'name' | 'at' | 'account'>>,
): Promise<void> {
  await requestCertificate(context, tx, { name, reason: 'first', at, account })
  await forgetFailure(tx, name)
}

/** Platform names have no re-verify button, so a permanent refusal only counts for this long. */
const refusalExpiresAfter = day

/** Requests a certificate unless there already is a job, whose backoff it never shortens. */
export async function ensureCertificateRequested(
  context: Pick<IssuingContext, 'database' | 'now' | 'changes'>,
  name: string,
  account: CertificateAccount | null,
): Promise<void> {
  const { database, now } = context
  if (isInProgress(await findJob(database.read, name), now())) return
  await database.write(async (tx) => {
    const job = await findJob(tx, name)
    if (isInProgress(job, now())) return
    const keepExisting = job === undefined
    await requestCertificate(context, tx, { name, reason: 'first', at: now(), keepExisting, account })
  })
}

function isInProgress(job: JobRow | undefined, now: number): boolean {
  if (job === undefined) return false
  return job.next_attempt_at !== null || job.lease_until > now || job.asked_at > now - refusalExpiresAfter
}

/** Deletes the certificate and its job once the name is no longer served. Call this after taking every other lock. */
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

/** Per query: databases limit how many values one can have. */
const namesPerQuery = 1_000

/** For many names, most of which never had a certificate: edges are notified only of those that did. */
export async function cancelCertificates(
  context: Pick<CertificateContext, 'changes'>,
  tx: Tx,
  names: readonly string[],
): Promise<void> {
  for (let from = 0; from < names.length; from += namesPerQuery) {
    const some = names.slice(from, from + namesPerQuery)
    const existing = [...(await findCertificateRows(tx, some)), ...(await findJobs(tx, some))]
    for (const name of new Set(existing.map((row) => row.name))) await cancelCertificate(context, tx, name)
  }
}
