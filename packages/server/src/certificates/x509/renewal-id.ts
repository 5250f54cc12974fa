import { readPemChain } from './issued-certificate.ts'
import { AuthorityKeyIdentifierExtension, X509Certificate } from './x509.ts'

/**
 * The identifier of a certificate (RFC 9773, section 4.1): its authority key identifier and its serial number. Null if the
 * certificate has no authority key identifier.
 */
export function renewalId(chainPem: string): string | null {
  const leaf = readPemChain(chainPem)?.[0]
  if (leaf === undefined) return null
  const issuer = new X509Certificate(leaf.raw).getExtension(AuthorityKeyIdentifierExtension)?.keyId
  if (issuer === undefined) return null
  // DER puts a zero byte before a number that would look negative; Node leaves it out.
  const digits = leaf.serialNumber.padStart(leaf.serialNumber.length + (leaf.serialNumber.length % 2), '0')
  const serial = Buffer.from(/^[89a-f]/i.test(digits) ? `00${digits}` : digits, 'hex')
  return `${Buffer.from(issuer, 'hex').toString('base64url')}.${serial.toString('base64url')}`
}
