import { internalCaTitle } from '@masthead/contract/domains/certificate-trouble.ts'
import type { IssuingContext } from '../context.ts'
import type { Issuer } from '../jobs/issuer.ts'
import { purposes } from '../sealed-columns.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'
import type { InternalRoot } from './internal-ca.ts'
import { findInternalRoot, insertInternalRoot } from './internal-root-store.ts'

type RootContext = Pick<IssuingContext, 'database' | 'now' | 'sealing'>

/** The root of the internal CA, created once and shared by all nodes. */
export async function ensureInternalRoot({ database, now, sealing }: RootContext): Promise<InternalRoot> {
  const purpose = purposes.internalRoot()
  if ((await findInternalRoot(database.read)) === undefined) {
    const { createRoot } = await import('./internal-ca.ts')
    const created = await createRoot(now())
    const sealed_key = sealing.seal(created.privateKeyPem, purpose)
    const row = { certificate: created.certificatePem, sealed_key, created_at: now() }
    await database.write((tx) => insertInternalRoot(tx, row))
  }
  const row = await findInternalRoot(database.read)
  if (row === undefined) throw new Error('The root of the internal CA was deleted')
  return {
    certificatePem: row.certificate,
    privateKeyPem: sealing.open(row.sealed_key, purpose).toString(),
  }
}

/** Signs immediately: nothing needs to be validated. */
export function createInternalIssuer(context: IssuingContext, root: InternalRoot): Issuer {
  const { now, sealing } = context
  return {
    kind: 'internal',
    id: 'internal',
    title: internalCaTitle,
    async attempt({ row: { name } }, progress) {
      progress.ordered()
      const { issueLeaf } = await import('./internal-ca.ts')
      const keys = await generateKeyPair()
      const issued = await issueLeaf(root, { name, publicKey: keys.publicKey, now: now() })
      const sealedKey = sealing.seal(privateKeyPem(keys), purposes.certificate(name))
      return { kind: 'issued', issued, sealedKey }
    },
    closeOrder: async () => {},
    readRenewalInfo: async () => null,
    caIdentities: () => [],
  }
}
