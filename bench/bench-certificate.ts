import { issueLeaf } from '@masthead/server/src/certificates/internal-ca/leaf.ts'
import { newRoot } from '@masthead/server/src/certificates/internal-ca/root.ts'
import { newKeyPair, privateKeyPem } from '@masthead/server/src/certificates/key-pair.ts'

export interface BenchCertificate {
  rootPem: string
  chainPem: string
  keyPem: string
}

/** ECDSA on P-256, by a root of its own. */
export async function newCertificate(name: string): Promise<BenchCertificate> {
  const now = Date.now()
  const root = await newRoot(now)
  const keys = await newKeyPair()
  const { chainPem } = await issueLeaf(root, { name, publicKey: keys.publicKey, now })
  return { rootPem: root.certificatePem, chainPem, keyPem: privateKeyPem(keys) }
}
