import type { OperatorCertificate } from '@masthead/contract/schemas/operator.ts'

/** The same as in the health check. */
const soon = 3 * 24 * 3_600_000

export interface CertificateBadge {
  tone: 'live' | 'waiting' | 'stopped'
  word: string
}

type ReportedCertificate = Pick<OperatorCertificate, 'status' | 'notAfter' | 'lastError'>

/** A certificate that is still valid keeps being served while its renewal fails. */
export function certificateState(
  { status, notAfter, lastError }: ReportedCertificate,
  now: number,
): CertificateBadge {
  const left = notAfter === null ? null : Date.parse(notAfter) - now
  if (left === null || status === 'none' || status === 'pending') {
    return lastError === null ? { tone: 'waiting', word: 'Pending' } : { tone: 'stopped', word: 'Failed' }
  }
  if (left <= 0) return { tone: 'stopped', word: 'Expired' }
  if (lastError !== null || status === 'failed') return { tone: 'waiting', word: 'Renewal failing' }
  return left < soon ? { tone: 'waiting', word: 'Expires soon' } : { tone: 'live', word: 'Valid' }
}
