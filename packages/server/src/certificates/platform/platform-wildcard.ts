import { wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import type { Context } from '../../database/database.ts'
import { challengeTarget } from '../challenge-dns/challenge-zone.ts'
import { type CertificateRow, findCertificateRow } from '../store.ts'

interface PlatformNaming {
  platformDomain: string
}

/** Labels of domains are ten random characters without `l` and `o`, so this is none of them. */
export const platformLabel = 'platform'

/** The name of the certificate that serves all projects. */
export function platformWildcard({ platformDomain }: PlatformNaming): string {
  return `*.${platformDomain}`
}

/** What the operator adds to the platform's zone, so that we can answer the challenges for the wildcard. */
export function platformDelegation({ platformDomain }: PlatformNaming): {
  type: 'CNAME'
  fqdn: string
  value: string
} {
  const value = challengeTarget(platformLabel, platformDomain)
  return { type: 'CNAME', fqdn: `_acme-challenge.${platformDomain}`, value }
}

/** Of the time from the renewal to the end, this part is left to the wildcard alone. */
const patience = 1 / 3

/**
 * When names get certificates of their own again, because the wildcard could not be renewed: 20 days before the end of
 * one that lasts 90 days.
 */
export function overdueAt({ renew_at, not_after }: Pick<CertificateRow, 'renew_at' | 'not_after'>): number {
  return Math.round(renew_at + (not_after - renew_at) * patience)
}

/** The certificate for all projects. Null if there is none. */
export async function findPlatformWildcard(
  { database, now }: Context,
  naming: PlatformNaming,
): Promise<{ notAfter: number; isOverdue: boolean } | null> {
  const row = await findCertificateRow(database.read, platformWildcard(naming))
  return row === undefined ? null : { notAfter: row.not_after, isOverdue: now() >= overdueAt(row) }
}

/** Whether the wildcard serves the name, so that it needs no certificate of its own. */
export async function isCoveredByPlatform(
  context: Context,
  naming: PlatformNaming,
  name: string,
): Promise<boolean> {
  if (wildcardOver(name) !== platformWildcard(naming)) return false
  return (await findPlatformWildcard(context, naming))?.isOverdue === false
}
