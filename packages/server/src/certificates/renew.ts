import { forEachConcurrently } from '../kernel/concurrency.ts'
import { renewalId } from './acme/renewal-info.ts'
import type { CertificateContext } from './context.ts'
import { requestCertificate } from './jobs/request-certificate.ts'
import { nextAriCheckAt, renewalWithin } from './renewal-time.ts'
import {
  claimDueCertificate,
  type DueCertificate,
  findDueCertificates,
  markOtherIssuersDue,
  updateRenewal,
} from './store.ts'

const mostAtOnce = 100
const asksAtOnce = 8

class AlreadyTakenError extends Error {
  override readonly name = 'AlreadyTakenError'
}

/** Has certificates renewed whose time has come, and asks the CA about others. True: there may be more to do. */
export async function renewDue(
  context: CertificateContext,
  log: { warn(details: object, message: string): void },
): Promise<boolean> {
  const due = await findDueCertificates(context.database.read, context.now(), mostAtOnce)
  await forEachConcurrently(due, asksAtOnce, async (row) => {
    if (row.renew_at <= context.now()) await requestRenewal(context, row)
    else await askWhenToRenew(context, row, log)
  })
  return due.length === mostAtOnce
}

/** To be called at the start: after a change of the CA, what another one issued is replaced as the budget allows. */
export async function renewFromOtherIssuers({ database, now, issuer }: CertificateContext): Promise<void> {
  await database.write((tx) => markOtherIssuersDue(tx, issuer.id, now()))
}

/** The certificate stays in use until the new one is there. It is not looked at again while the job is. */
async function requestRenewal(context: CertificateContext, row: DueCertificate): Promise<void> {
  const isOfSameIssuer = row.issuer === context.issuer.id
  const work = context.database.write(async (tx) => {
    const replaces = isOfSameIssuer ? idAtIssuer(row) : null
    await requestCertificate(context, tx, { name: row.name, reason: 'renewal', at: context.now(), replaces })
    if (!(await claimDueCertificate(tx, row, null))) throw new AlreadyTakenError()
  })
  await work.catch((error: unknown) => {
    if (!(error instanceof AlreadyTakenError)) throw error
  })
}

/** Also where the CA was never asked about it: the name follows from the certificate. */
function idAtIssuer({ issuer_kind, ari_id, chain }: DueCertificate): string | null {
  return issuer_kind === 'acme' ? (ari_id ?? renewalId(chain)) : null
}

async function askWhenToRenew(
  { database, now, issuer }: CertificateContext,
  row: DueCertificate,
  log: { warn(details: object, message: string): void },
): Promise<void> {
  const usual = Math.min(nextAriCheckAt(now(), Math.random()), row.renew_at)
  // Noted before the CA is asked: a crash, or a CA that does not answer, delays the next look and does no more.
  if (!(await database.write((tx) => claimDueCertificate(tx, row, usual)))) return
  const id = row.issuer === issuer.id ? idAtIssuer(row) : null
  if (id === null) return
  const info = await issuer.readRenewalInfo(id).catch((err: unknown) => {
    log.warn({ err, name: row.name }, 'the CA could not be asked when to renew a certificate')
    return null
  })
  if (info === null) return
  const { start, end } = info.window
  const validity = { notBefore: row.not_before, notAfter: row.not_after }
  const isSame = row.ari_start === start && row.ari_end === end
  const renewAt = isSame ? row.renew_at : renewalWithin(info.window, validity, Math.random())
  const change = {
    renew_at: renewAt,
    check_at: Math.min(info.nextCheckAt, usual, renewAt),
    ari_id: id,
    ari_start: start,
    ari_end: end,
    ari_checked_at: now(),
  }
  await database.write((tx) => updateRenewal(tx, row, change))
}
