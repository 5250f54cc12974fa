import type { X509Certificate } from 'node:crypto'
import { isIssuedBy } from '../x509/server-certificate.ts'

/** A chain in the order in which it is sent, or the certificate that does not belong to it. */
export type OrderedChain = { chain: X509Certificate[] } | { stranger: X509Certificate }

/**
 * Puts the certificates in order: the leaf, then the issuer of each. Repeated ones and roots, which every client has,
 * are left out.
 */
export function orderChain(leaf: X509Certificate, certificates: readonly X509Certificate[]): OrderedChain {
  const left = new Map(certificates.map((one) => [one.fingerprint256, one]))
  left.delete(leaf.fingerprint256)
  const chain = [leaf]
  for (;;) {
    const last = chain.at(-1) ?? leaf
    const issuer = isSelfSigned(last) ? undefined : [...left.values()].find((one) => isIssuedBy(last, one))
    if (issuer === undefined) break
    left.delete(issuer.fingerprint256)
    chain.push(issuer)
  }
  const [stranger] = left.values()
  if (stranger !== undefined) return { stranger }
  return { chain: chain.filter((one) => one === leaf || !isSelfSigned(one)) }
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return isIssuedBy(certificate, certificate)
}
