import { cancelCertificate, requestCertificate } from '../../certificates/jobs/request-certificate.ts'
import { serveOwnCertificate } from '../../certificates/jobs/serve-own-certificate.ts'
import { storeOwnCertificate } from '../../certificates/own/own-certificates.ts'
import {
  readUploadedCertificate,
  type UploadedCertificate,
} from '../../certificates/own/uploaded-certificate.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import { isoTime } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, isServing, noSuchDomain } from '../domain.ts'
import { certificateAccount } from '../https/certificate-need.ts'
import { lockHostname } from '../locks.ts'
import { findDomain } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'

export interface CertificateInput {
  project: ProjectRow
  hostname: string
  by: EventActor
}

/**
 * Stores a certificate for a domain. If the account holds the name, every node serves it from here on; otherwise it is
 * kept for when it does.
 */
export async function uploadCertificate(
  context: DomainContext & { sealing: Sealing },
  { project, hostname, by, chain, key }: CertificateInput & { chain: string; key: string },
): Promise<DomainRow> {
  const { database, now } = context
  const uploaded = readUploadedCertificate({ chain, key }, { hostname, now: now() })
  if ('faults' in uploaded) throw invalidCertificate(uploaded.faults)
  return database.write(async (tx) => {
    await lockHostname(database, tx, hostname)
    const row = await findDomain(tx, project.id, hostname)
    if (row === undefined) throw noSuchDomain(project, hostname)
    const at = now()
    await storeOwnCertificate(context, tx, row.id, uploaded)
    const data = describeUploaded(uploaded)
    await recordTimeline(tx, { domain: row, kind: 'certificate_uploaded', at, by, data })
    await recordEvent(tx, {
      ...{ accountId: row.account_id, projectId: row.project_id, by, at },
      type: 'domain.certificate_uploaded',
      data: { hostname, ...data },
    })
    if (!isServing(row)) {
      // One that was obtained before would be used instead once DNS points here again.
      if (row.held === 1) await cancelCertificate(context, tx, hostname)
      return row
    }
    await serveOwnCertificate(context, tx, { name: hostname, domainId: row.id })
    // The job finds the certificate in place and sends the test request.
    const account = certificateAccount(row)
    await requestCertificate(context, tx, { name: hostname, reason: 'asked', at, account })
    return row
  })
}

function invalidCertificate(faults: readonly { path: 'chain' | 'key'; message: string }[]): Problem {
  const subjects = { chain: 'The chain', key: 'The key' }
  const detail = faults.map(({ path, message }) => `${subjects[path]} ${message}`).join(' ')
  return new Problem('certificate_invalid', detail, { extra: { errors: faults } })
}

function describeUploaded({ serial, issuerTitle, notAfter, isTrusted }: UploadedCertificate) {
  return { serial, issuer: issuerTitle, notAfter: isoTime(notAfter), trusted: isTrusted }
}
