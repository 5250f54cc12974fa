import { daysLeft, nextWarningAt } from '../../certificates/own/expiry-warnings.ts'
import {
  claimWarning,
  type ExpiringCertificate,
  findExpiring,
} from '../../certificates/own/own-certificates.ts'
import { recordEvent, system } from '../../events/record-event.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { DomainContext } from '../context.ts'
import { findDomainById } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'

const batchSize = 100

/** Warns of uploaded certificates before they expire. Returns true if there may be more. */
export async function warnOfExpiring(context: DomainContext): Promise<boolean> {
  const due = await findExpiring(context.database.read, context.now(), batchSize)
  for (const certificate of due) await warn(context, certificate)
  return due.length === batchSize
}

async function warn({ database, now }: DomainContext, certificate: ExpiringCertificate): Promise<void> {
  const { domain_id, not_after: notAfter, issuer_title: issuer, serial } = certificate
  await database.write(async (tx) => {
    const at = now()
    if (!(await claimWarning(tx, certificate, nextWarningAt(notAfter, at)))) return
    const domain = await findDomainById(tx, domain_id)
    if (domain === undefined || notAfter <= at) return
    const data = { days: daysLeft(notAfter, at), notAfter: isoTime(notAfter), issuer, serial }
    await recordTimeline(tx, { domain, kind: 'certificate_expiring', at, by: system, data })
    await recordEvent(tx, {
      ...{ accountId: domain.account_id, projectId: domain.project_id, by: system, at },
      type: 'domain.certificate_expiring',
      data: { hostname: domain.hostname, ...data },
    })
  })
}
