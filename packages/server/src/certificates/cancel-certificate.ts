import type { Tx } from '../database/database.ts'
import { deleteChallenges } from './challenge-store.ts'
import type { CertificateContext } from './context.ts'
import { deleteJob } from './job-store.ts'
import { deleteCertificate } from './store.ts'

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
