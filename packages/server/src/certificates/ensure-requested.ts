import { day } from '../clock.ts'
import type { IssuingContext } from './context.ts'
import { findJob, type JobRow } from './job-store.ts'
import { type CertificateAccount, requestCertificate } from './request-certificate.ts'

/** A name that the CA refused for good, and that nobody can have tried again, is by whoever wants it after this. */
const refusalCounts = day

/** Has a certificate got where nobody does yet. How soon the CA is asked again is never decided by this. */
export async function ensureRequested(
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
