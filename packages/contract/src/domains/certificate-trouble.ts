import type { CertificateView } from '../schemas/domains/certificate.ts'
import type { Finding } from '../schemas/domains/dns-check.ts'
import type { Domain } from '../schemas/domains/domain.ts'

/** The issuer of certificates on a server that is its own CA; its root is at `/v1/ca.pem`. */
export const internalCaTitle = 'The internal CA'

/**
 * What is wrong with a domain's certificate, as lists and pages show it. `refused`: someone has to fix something
 * first. `delayed`: we retry automatically.
 */
export const certificateTroubles = {
  refused: { title: 'Certificate refused' },
  delayed: { title: 'Certificate delayed' },
} as const

export type CertificateTrouble = keyof typeof certificateTroubles

type CertificateError = NonNullable<CertificateView['lastError']>

/** Null while a certificate is installed, or on its way without problems. */
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

/** The findings of the last check, without those that the certificate's own error already covers. */
export function otherFindings({
  certificate,
  lastCheck,
}: Pick<Domain, 'certificate' | 'lastCheck'>): Finding[] {
  const findings = lastCheck?.findings ?? []
  const isCovered = certificate.lastError !== null && isCaaError(certificate.lastError)
  return isCovered ? findings.filter((finding) => !isCaa(finding)) : findings
}

/** Whether re-verifying requests no certificate: the one that was uploaded is served, and we do not take over yet. */
export function keepsOwnCertificate({
  certificate: { own, lastError },
}: Pick<Domain, 'certificate'>): boolean {
  return own?.inUse === true && lastError === null
}

/** Found by our own check or by the authority's. Retries keep failing until the CAA record is changed. */
function isCaaError({ kind, add }: Pick<CertificateError, 'kind' | 'add'>): boolean {
  return add !== null || kind === 'caa' || kind === 'caa_forbids'
}

function isCaa({ code }: Finding): boolean {
  return code === 'caa_blocks'
}
