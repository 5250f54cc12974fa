import { requestCertificate } from '../../certificates/jobs/request-certificate.ts'
import { forgetOwnCertificate } from '../../certificates/own/own-certificates.ts'
import { recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, isServing, noSuchDomain } from '../domain.ts'
import { certificateAccount } from '../https/certificate-need.ts'
import { lockHostname } from '../locks.ts'
import { findDomain } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import type { CertificateInput } from './upload-certificate.ts'

/** Lets Masthead take over. The uploaded certificate is served until the new one is installed. */
export function handOverCertificate(
  context: DomainContext & { sealing: Sealing },
  { project, hostname, by }: CertificateInput,
): Promise<DomainRow> {
  const { database, now } = context
  return database.write(async (tx) => {
    await lockHostname(database, tx, hostname)
    const row = await findDomain(tx, project.id, hostname)
    if (row === undefined) throw noSuchDomain(project, hostname)
    const at = now()
    const own = { name: hostname, domainId: row.id, isHeld: row.held === 1 }
    if (!(await forgetOwnCertificate(context, tx, own))) {
      throw new Problem('not_found', `${hostname} has no certificate of your own: Masthead manages it.`)
    }
    await recordTimeline(tx, { domain: row, kind: 'certificate_handed_over', at, by })
    await recordEvent(tx, {
      ...{ accountId: row.account_id, projectId: row.project_id, by, at },
      type: 'domain.certificate_removed',
      data: { hostname },
    })
    if (!isServing(row)) return row
    const account = certificateAccount(row)
    await requestCertificate(context, tx, { name: hostname, reason: 'asked', at, account })
    return row
  })
}
