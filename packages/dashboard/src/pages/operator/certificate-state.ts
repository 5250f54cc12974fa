import type { OperatorCertificate } from '@masthead/contract/schemas/operator.ts'

/** As the health of the server counts those that end soon. */
const soon = 3 * 24 * 3_600_000

export interface CertificateBadge {
  tone: 'live' | 'waiting' | 'stopped'
  word: string
}

type ReportedCertificate = Pick<OperatorCertificate, 'status' | 'notAfter' | 'lastError'>

/** How a certificate is, in a word. One that is still good stays served while its renewal fails. */
export function certificateState(
  { status, notAfter, lastError }: ReportedCertificate,
  now: number,
): CertificateBadge {
  const left = notAfter === null ? null : Date.parse(notAfter) - now
  if (left === null || status === 'none' || status === 'pending') {
    return lastError === null ? { tone: 'waiting', word: 'On its way' } : { tone: 'stopped', word: 'Refused' }
  }
  if (left <= 0) return { tone: 'stopped', word: 'Expired' }
  if (lastError !== null || status === 'failed') return { tone: 'waiting', word: 'Renewal fails' }
  return left < soon ? { tone: 'waiting', word: 'Ends soon' } : { tone: 'live', word: 'Valid' }
}
