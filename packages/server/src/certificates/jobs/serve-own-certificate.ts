import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Tx } from '../../database/database.ts'
import type { IssuingContext } from '../context.ts'
import { installOwnCertificate, type OwnCertificateRow } from '../own/own-certificates.ts'
import { deleteChallenges } from './challenge-store.ts'
import { deleteJob } from './job-store.ts'

/** Serves the uploaded certificate of the domain for its name, and ends any order. Null if there is none to use. */
export async function serveOwnCertificate(
  context: Pick<IssuingContext, 'sealing' | 'changes' | 'now'>,
  tx: Tx,
  { name, domainId }: { name: string; domainId: Id<'domain'> },
): Promise<OwnCertificateRow | null> {
  await context.changes.record(tx, { kind: 'certificate', subject: name })
  const row = await installOwnCertificate(context, tx, { name, domainId })
  if (row === null) return null
  await deleteJob(tx, name)
  await deleteChallenges(tx, name)
  return row
}
