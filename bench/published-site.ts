import { createRoot, issueLeaf } from '@masthead/server/src/certificates/internal-ca/internal-ca.ts'
import { generateKeyPair, privateKeyPem } from '@masthead/server/src/certificates/x509/key-pair.ts'
import { createPublisher, type Publisher } from '@masthead/testing/clients/publisher.ts'
import { type MastheadOptions, MastheadProcess } from '@masthead/testing/masthead-process.ts'

export interface BenchCertificate {
  rootPem: string
  chainPem: string
  keyPem: string
}

/** ECDSA on P-256, with its own root. */
export async function newCertificate(name: string): Promise<BenchCertificate> {
  const now = Date.now()
  const root = await createRoot(now)
  const keys = await generateKeyPair()
  const { chainPem } = await issueLeaf(root, { name, publicKey: keys.publicKey, now })
  return { rootPem: root.certificatePem, chainPem, keyPem: privateKeyPem(keys) }
}

/** A new server with an account, and a key to publish with. */
export interface BenchPublisher extends Publisher, AsyncDisposable {
  masthead: MastheadProcess
}

export async function startPublisher(options: MastheadOptions = {}): Promise<BenchPublisher> {
  const masthead = await MastheadProcess.start(options)
  try {
    return {
      ...(await createPublisher(masthead)),
      masthead,
      [Symbol.asyncDispose]: () => masthead.stop(),
    }
  } catch (error) {
    await masthead.stop()
    throw error
  }
}
