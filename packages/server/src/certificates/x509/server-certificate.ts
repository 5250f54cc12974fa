import type { X509Certificate } from 'node:crypto'

const serverAuthentication = '1.3.6.1.5.5.7.3.1'

/** Browsers refuse certificates that say they are for something else only. */
export function isForServers({ keyUsage }: X509Certificate): boolean {
  return keyUsage === undefined || keyUsage.includes(serverAuthentication)
}

/**
 * The algorithm of the signature if browsers refuse it, or null. They refuse SHA-1 and MD5, because other certificates can
 * be made with the same digest.
 */
export function refusedSignature({ signatureAlgorithm = '' }: X509Certificate): string | null {
  return /sha-?1(?!\d)|md[245]/i.test(signatureAlgorithm) ? signatureAlgorithm : null
}

export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    // A public key of a kind that OpenSSL does not know.
    return false
  }
}
