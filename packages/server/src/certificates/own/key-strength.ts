import type { KeyObject, X509Certificate } from 'node:crypto'
import { refusedSignature } from '../x509/server-certificate.ts'

const browserCurves = { prime256v1: 'P-256', secp384r1: 'P-384' } as const

/** Everybody uses 65537. Checking a signature takes as much longer as the exponent is longer. */
const largestExponent = 2n ** 32n

type KeyKind = Pick<KeyObject, 'asymmetricKeyType' | 'asymmetricKeyDetails'>

/**
 * Why a key is not used, or null. A server's key signs every handshake, and all sites share the processors: larger RSA
 * keys than 4096 bits take tens of milliseconds each.
 */
export function keyWeakness(
  { asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyKind,
  of: 'server' | 'authority',
): string | null {
  if (type === 'rsa') {
    const { modulusLength: bits = 0, publicExponent = 0n } = details
    const most = of === 'server' ? 4096 : 8192
    if (bits < 2048) return `has an RSA key of ${bits} bits. Browsers require at least 2048.`
    if (bits > most) return `has an RSA key of ${bits} bits. Use at most ${most}.`
    return publicExponent > largestExponent ? 'has an RSA key with an unusual exponent. Use 65537.' : null
  }
  if (of === 'authority') return null
  if (type === 'ec') {
    const { namedCurve = '' } = details
    return namedCurve in browserCurves ? null : `has a key on the curve ${namedCurve}. Use P-256 or P-384.`
  }
  return `has a key of the kind ${type}, which browsers do not accept. Use RSA or ECDSA (P-256, P-384).`
}

export function signatureWeakness(certificate: X509Certificate): string | null {
  const refused = refusedSignature(certificate)
  if (refused === null) return null
  return `is signed with ${refused}, which browsers refuse. Have it issued again with SHA-256.`
}
