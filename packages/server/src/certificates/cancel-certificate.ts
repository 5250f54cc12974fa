import type { Tx } from '../database/database.ts'
import { deleteChallenges } from './challenge-store.ts'
import type { CertificateContext } from './context.ts'
import { deleteJob, findJobs } from './job-store.ts'
import { deleteCertificate, findCertificateRows } from './store.ts'

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
