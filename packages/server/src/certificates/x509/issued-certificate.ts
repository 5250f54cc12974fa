import { KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { day } from '../../kernel/clock.ts'
import { type KeyPair, privateKeyPem } from './key-pair.ts'
import { isForServers, isIssuedBy, refusedSignature } from './server-certificate.ts'

const longestChain = 10
const onlyCertificates = /^(?:\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----)+\s*$/
const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * The certificates of a chain, leaf first. Null if the text contains anything else, such as a key that would be stored
 * and served unnoticed (RFC 8555, section 11.4).
 */
export function readPemChain(text: string): X509Certificate[] | null {
  if (!onlyCertificates.test(text)) return null
  const blocks = text.match(certificate) ?? []
  if (blocks.length > longestChain) return null
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return null
  }
}

export interface IssuedCertificate {
  /** The certificate, then its intermediates. */
  chainPem: string
  serial: string
  notBefore: number
  notAfter: number
}

/** Null if the text is not a pure certificate chain. */
export function readIssuedCertificate(text: string): IssuedCertificate | null {
  const chain = readPemChain(text)
  const leaf = chain?.[0]
  if (chain === null || leaf === undefined) return null
  return {
    chainPem: chain.map(String).join(''),
    serial: leaf.serialNumber.toLowerCase(),
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
  }
}

/** The clock of a server may be this wrong. What is not valid yet by it is then good for everybody else. */
const clockTolerance = day

/** Why a certificate cannot be served for the name with this key, or null if it can. Check before storing it. */
export function unusableReason(
  chainPem: string,
  { name, keys, now }: { name: string; keys: KeyPair; now: number },
): string | null {
  const [leaf, ...others] = readPemChain(chainPem) ?? []
  if (leaf === undefined) return 'It is not a certificate chain'
  if (!leaf.checkPrivateKey(KeyObject.from(keys.privateKey))) return 'It is for another key'
  if (leaf.checkHost(name, { subject: 'never', wildcards: true }) === undefined)
    return `It is not for ${name}`
  if (leaf.validToDate.getTime() <= now) return `It expired at ${leaf.validTo}`
  if (leaf.validFromDate.getTime() > now + clockTolerance) return `It is not valid before ${leaf.validFrom}`
  if (!isForServers(leaf)) return 'It is not for servers'
  const refused = refusedSignature(leaf)
  if (refused !== null) return `It is signed with ${refused}, which browsers refuse`
  // Without any, it is of a CA whose root issues certificates itself.
  if (others.length > 0 && !others.some((one) => isIssuedBy(leaf, one)))
    return 'Its issuer is not in its chain'
  return isAcceptedByOpenssl(chainPem, keys) ? null : 'It cannot be used for TLS'
}

function isAcceptedByOpenssl(chainPem: string, keys: KeyPair): boolean {
  try {
    createSecureContext({ cert: chainPem, key: privateKeyPem(keys) })
    return true
  } catch {
    return false
  }
}
