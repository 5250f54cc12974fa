import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Reader, Tx } from '../../database/database.ts'
import type { IssuingContext } from '../context.ts'
import { purposes } from '../sealed-columns.ts'
import { type CertificateRow, findCertificateRow, makeDue, putCertificate } from '../store.ts'
import { nextWarningAt } from './expiry-warnings.ts'
import {
  deleteOwnRow,
  findOwnRows,
  findRowsToWarn,
  type OwnCertificateRow,
  putOwnRow,
  setNextWarning,
} from './own-store.ts'
import { takeOverBefore, type UploadedCertificate } from './uploaded-certificate.ts'

type OwnContext = Pick<IssuingContext, 'sealing' | 'changes' | 'now'>

/** The issuer of certificates that their owners uploaded. */
export const ownIssuer = 'own'

/** Keyed by domain. */
export async function findOwnCertificates(
  db: Reader,
  domains: readonly Id<'domain'>[],
): Promise<Map<string, OwnCertificateRow>> {
  return new Map((await findOwnRows(db, domains)).map((row) => [row.domain_id, row]))
}

export async function hasOwnCertificate(db: Reader, domainId: Id<'domain'>): Promise<boolean> {
  return (await findOwnRows(db, [domainId])).length > 0
}

/** Whether the certificate of the name is an uploaded one that we do not take over yet. */
export async function isOwnServed(db: Reader, { name, at }: { name: string; at: number }): Promise<boolean> {
  const row = await findCertificateRow(db, name)
  return row !== undefined && isOwnKept(row, at)
}

/** Whether it was uploaded, and its owner may still replace it before we have to. */
export function isOwnKept(
  { issuer, renew_at }: Pick<CertificateRow, 'issuer' | 'renew_at'>,
  at: number,
): boolean {
  return issuer === ownIssuer && renew_at > at
}

/** Stores the certificate for a domain. It is used once the domain holds its name. */
export async function storeOwnCertificate(
  { sealing, now }: OwnContext,
  tx: Tx,
  domainId: Id<'domain'>,
  uploaded: UploadedCertificate,
): Promise<void> {
  const { chainPem, keyPem, serial, issuerTitle, names, isTrusted, notBefore, notAfter } = uploaded
  await putOwnRow(tx, {
    domain_id: domainId,
    chain: chainPem,
    sealed_key: sealing.seal(keyPem, purposes.ownCertificate(domainId)),
    serial,
    issuer_title: issuerTitle,
    names: JSON.stringify(names),
    trusted: isTrusted ? 1 : 0,
    not_before: notBefore,
    not_after: notAfter,
    uploaded_at: now(),
    warn_at: nextWarningAt(notAfter, now()),
  })
}

/** Stores the uploaded certificate of a domain as the one that is served. Null if there is none to use. */
export async function installOwnCertificate(
  { sealing, now }: Pick<OwnContext, 'sealing' | 'now'>,
  tx: Tx,
  { name, domainId }: { name: string; domainId: Id<'domain'> },
): Promise<OwnCertificateRow | null> {
  const [row] = await findOwnRows(tx, [domainId])
  if (row === undefined || takeOverAt(row) <= now()) return null
  const key = sealing.open(row.sealed_key, purposes.ownCertificate(domainId))
  await putCertificate(tx, {
    name,
    issuer_kind: 'own',
    issuer: ownIssuer,
    issuer_title: row.issuer_title,
    passed_over: null,
    serial: row.serial,
    chain: row.chain,
    sealed_key: sealing.seal(key, purposes.certificate(name)),
    not_before: row.not_before,
    not_after: row.not_after,
    installed_at: now(),
    renew_at: takeOverAt(row),
    check_at: takeOverAt(row),
    ari_id: null,
    ari_start: null,
    ari_end: null,
    ari_checked_at: null,
  })
  return row
}

/**
 * Deletes the uploaded certificate of a domain. What is served stays until another one replaces it, which the caller
 * requests. If the domain does not hold its name, that is the certificate of another account. Returns false if there
 * was none.
 */
export async function forgetOwnCertificate(
  { changes, now }: OwnContext,
  tx: Tx,
  { name, domainId, isHeld }: { name: string; domainId: Id<'domain'>; isHeld: boolean },
): Promise<boolean> {
  await changes.record(tx, { kind: 'certificate_due', subject: name })
  if (!(await deleteOwnRow(tx, domainId))) return false
  if (isHeld) await makeDue(tx, { name, issuer: ownIssuer }, now())
  return true
}

export type { OwnCertificateRow }
export type ExpiringCertificate = OwnCertificateRow

/** Those whose owners are to be warned now. */
export const findExpiring = findRowsToWarn
/** Returns true for exactly one of several processes. */
export const claimWarning = setNextWarning

function takeOverAt({ not_after }: Pick<OwnCertificateRow, 'not_after'>): number {
  return not_after - takeOverBefore
}
