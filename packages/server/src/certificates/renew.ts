import { forEachConcurrently } from '../kernel/concurrency.ts'
import { AcmeProblem } from './acme/problem.ts'
import type { CertificateContext, Issuer } from './jobs/issuer.ts'
import { requestCertificate } from './jobs/request-certificate.ts'
import { ownIssuer } from './own/own-certificates.ts'
import { nextAriCheckAt, renewalWithin } from './renewal-time.ts'
import {
  claimDueCertificate,
  type DueCertificate,
  findDueCertificates,
  hasOtherIssuers,
  markOtherIssuersDue,
  updateRenewal,
} from './store.ts'

const batchSize = 100
/** On SQLite, everything else waits until they are marked. */
const markedAtOnce = 100
const concurrency = 8

class AlreadyTakenError extends Error {
  override readonly name = 'AlreadyTakenError'
}

/**
 * Requests renewals that are due and asks the CA when to renew others. `accountOf` says which account a name belongs to;
 * names of the operator belong to none. Returns true if there may be more to do.
 */
export async function renewDue(
  context: CertificateContext,
  log: { warn(details: object, message: string): void },
  accountOf: (name: string) => Promise<string | null> = async () => null,
): Promise<boolean> {
  const due = await findDueCertificates(context.database.read, context.now(), batchSize)
  const unreachable = new Set<Issuer>()
  await forEachConcurrently(due, concurrency, async (row) => {
    if (row.renew_at <= context.now()) await requestRenewal(context, row, await accountOf(row.name))
    else await updateRenewalTime(context, row, unreachable, log)
  })
  return due.length === batchSize
}

/** Call at startup: after switching to another CA, certificates of the old one are replaced as the budget allows. */
export async function renewFromOtherIssuers({
  database,
  now,
  issuers,
}: Pick<CertificateContext, 'database' | 'now'> & {
  issuers: readonly Pick<Issuer, 'id'>[]
}): Promise<void> {
  const others = { issuers: [ownIssuer, ...issuers.map(({ id }) => id)], now: now() }
  if (!(await hasOtherIssuers(database.read, others))) return
  let after: string | null = ''
  while (after !== null) after = await markSome(after)

  function markSome(name: string): Promise<string | null> {
    return database.write((tx) => markOtherIssuersDue(tx, { ...others, after: name, most: markedAtOnce }))
  }
}

/** The old certificate stays in use, and is not checked again while the job exists. */
async function requestRenewal(
  context: CertificateContext,
  row: DueCertificate,
  accountId: string | null,
): Promise<void> {
  const replaces = issuerOf(context, row) === undefined ? null : await ariId(row)
  // Renewals come first, whatever the plan.
  const account = accountId === null ? null : { id: accountId, isPaying: true }
  const request = { name: row.name, reason: 'renewal', at: context.now(), replaces, account } as const
  const work = context.database.write(async (tx) => {
    await requestCertificate(context, tx, request)
    if (!(await claimDueCertificate(tx, row, null))) throw new AlreadyTakenError()
  })
  await work.catch((error: unknown) => {
    if (!(error instanceof AlreadyTakenError)) throw error
  })
}

/** The issuer that issued the certificate; undefined if it is no longer configured. */
function issuerOf({ issuers }: CertificateContext, row: DueCertificate): Issuer | undefined {
  return issuers.find(({ id }) => id === row.issuer)
}

/** Can be derived from the certificate even if we never asked the CA about it. */
async function ariId({ issuer_kind, ari_id, chain }: DueCertificate): Promise<string | null> {
  if (issuer_kind !== 'acme') return null
  if (ari_id !== null) return ari_id
  const { renewalId } = await import('./x509/renewal-id.ts')
  return renewalId(chain)
}

async function updateRenewalTime(
  context: CertificateContext,
  row: DueCertificate,
  /** Not asked again now: what is due would wait for each timeout. */
  unreachable: Set<Issuer>,
  log: { warn(details: object, message: string): void },
): Promise<void> {
  const { database, now } = context
  const nextCheck = Math.min(nextAriCheckAt(now(), Math.random()), row.renew_at)
  // Stored before asking, so that a crash or an unresponsive CA only delays the next check.
  if (!(await database.write((tx) => claimDueCertificate(tx, row, nextCheck)))) return
  const issuer = issuerOf(context, row)
  const id = await ariId(row)
  if (issuer === undefined || id === null || unreachable.has(issuer)) return
  const info = await issuer.readRenewalInfo(id).catch((err: unknown) => {
    if (err instanceof AcmeProblem && err.kind === 'unreachable') unreachable.add(issuer)
    log.warn({ err, name: row.name }, 'could not ask the CA when to renew a certificate')
    return null
  })
  if (info === null) return
  const { start, end } = info.window
  const validity = { notBefore: row.not_before, notAfter: row.not_after }
  const isSame = row.ari_start === start && row.ari_end === end
  const renewAt = isSame ? row.renew_at : renewalWithin(info.window, validity, Math.random())
  const change = {
    renew_at: renewAt,
    check_at: Math.min(info.nextCheckAt, nextCheck, renewAt),
    ari_id: id,
    ari_start: start,
    ari_end: end,
    ari_checked_at: now(),
  }
  await database.write((tx) => updateRenewal(tx, row, change))
}
