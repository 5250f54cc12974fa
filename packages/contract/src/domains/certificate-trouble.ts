import type { CertificateView, Domain, Finding } from '../schemas/domain.ts'

/** The issuer of certificates on a server that is its own CA; its root is at `/v1/ca.pem`. */
export const internalCaTitle = 'The internal CA'

/**
 * What is wrong with the certificate of a domain, as lists and pages call it. `refused`: somebody has to repair
 * something first; `delayed`: it is tried again automatically.
 */
export const certificateTroubles = {
  refused: { title: 'Certificate refused' },
  delayed: { title: 'Certificate delayed' },
} as const

export type CertificateTrouble = keyof typeof certificateTroubles

type CertificateError = NonNullable<CertificateView['lastError']>

/** Null while a certificate is in place, or on its way without any problem. */
export function certificateTroubleOf({
  state,
  certificate,
  lastCheck,
}: Pick<Domain, 'state' | 'certificate' | 'lastCheck'>): CertificateTrouble | null {
  const { status, lastError, nextAttemptAt } = certificate
  if (status === 'valid' || (state !== 'verified' && state !== 'failed')) return null
  // Known before anything is ordered.
  if (state === 'verified' && lastCheck?.findings.some(isCaa)) return 'refused'
  if (lastError === null) return null
  if (isCaaError(lastError) || nextAttemptAt === null) return 'refused'
  return state === 'verified' ? 'delayed' : null
}

/** The findings of the last check without what the certificate's own error tells already. */
export function otherFindings({
  certificate,
  lastCheck,
}: Pick<Domain, 'certificate' | 'lastCheck'>): Finding[] {
  const findings = lastCheck?.findings ?? []
  const isTold = certificate.lastError !== null && isCaaError(certificate.lastError)
  return isTold ? findings.filter((finding) => !isCaa(finding)) : findings
}

/** Found by our own look, or by the authority's: it is tried again, but in vain until the record is changed. */
function isCaaError({ kind, add }: Pick<CertificateError, 'kind' | 'add'>): boolean {
  return add !== null || kind === 'caa' || kind === 'caa_forbids'
}

function isCaa({ code }: Finding): boolean {
  return code === 'caa_blocks'
}
