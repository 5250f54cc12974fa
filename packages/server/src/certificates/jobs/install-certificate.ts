import type { IssuingContext } from '../context.ts'
import { firstAriCheckAt, usualRenewalAt } from '../renewal-time.ts'
import { purposes } from '../sealed-columns.ts'
import { putCertificate } from '../store.ts'
import type { IssuedCertificate } from '../x509/issued-certificate.ts'
import { deleteChallenges } from './challenge-store.ts'
import type { ClaimedJob } from './job.ts'
import { finishJob } from './job-lease-store.ts'
import type { Attempted } from './try-authorities.ts'

/** Replaces the certificate, finishes the job and notifies all edges in one transaction. */
export async function installCertificate(
  { database, now, changes, sealing }: IssuingContext,
  job: ClaimedJob,
  { issued, sealedKey }: { issued: IssuedCertificate; sealedKey: string },
  { issuer, passedOver }: Pick<Attempted, 'issuer' | 'passedOver'>,
): Promise<void> {
  const { name } = job.row
  const { serial, chainPem, notBefore, notAfter } = issued
  // The master key may have been rotated during the attempt.
  const sealed_key = sealing.renew(sealedKey, purposes.certificate(name))
  const at = now()
  const renewAt = usualRenewalAt(issued)
  const ariAt = issuer.kind === 'acme' ? firstAriCheckAt(at, Math.random()) : renewAt
  await database.write(async (tx) => {
    await changes.record(tx, { kind: 'certificate', subject: name })
    await finishJob(tx, job)
    await deleteChallenges(tx, name)
    await issuer.closeOrder(tx, name, 'issued')
    await putCertificate(tx, {
      name,
      issuer_kind: issuer.kind,
      issuer: issuer.id,
      serial,
      chain: chainPem,
      sealed_key,
      not_before: notBefore,
      not_after: notAfter,
      installed_at: at,
      renew_at: renewAt,
      check_at: Math.min(ariAt, renewAt),
      ari_id: null,
      ari_start: null,
      ari_end: null,
      ari_checked_at: null,
      issuer_title: null,
      passed_over: passedOver.length === 0 ? null : JSON.stringify(passedOver),
    })
  })
}
