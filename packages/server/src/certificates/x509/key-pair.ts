import { createPrivateKey, createPublicKey, KeyObject, webcrypto } from 'node:crypto'

/** ECDSA P-256, for accounts, certificates and the internal CA. */
export type KeyPair = webcrypto.CryptoKeyPair
export type PublicKey = webcrypto.CryptoKey

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }

export const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' }

export async function generateKeyPair(): Promise<KeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

/** PKCS #8, as TLS expects it. The caller must seal it before storing it. */
export function privateKeyPem({ privateKey }: KeyPair): string {
  return KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString()
}

export function keyPairFromPem(pem: string): KeyPair {
  try {
    return {
      privateKey: createPrivateKey(pem).toCryptoKey(algorithm, true, ['sign']),
      publicKey: createPublicKey(pem).toCryptoKey(algorithm, true, ['verify']),
    }
  } catch (cause) {
    throw new TypeError('Not a private key for ECDSA P-256 in PEM', { cause })
  }
}
