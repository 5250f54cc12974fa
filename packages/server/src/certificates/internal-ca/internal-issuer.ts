import { internalCaTitle } from '@masthead/contract/domains/certificate-trouble.ts'
import { purposes } from '../../secrets/sealed-values.ts'
import type { Issuer, IssuingContext } from '../context.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'
import { createRoot, type InternalRoot, issueLeaf } from './internal-ca.ts'
import { findInternalRoot, insertInternalRoot } from './internal-root-store.ts'

type RootContext = Pick<IssuingContext, 'database' | 'now' | 'sealing'>

/** The root of the internal CA, made once over all nodes. */
export async function ensureInternalRoot({ database, now, sealing }: RootContext): Promise<InternalRoot> {
  const purpose = purposes.internalRoot()
  if ((await findInternalRoot(database.read)) === undefined) {
    const made = await createRoot(now())
    const sealed_key = sealing.seal(made.privateKeyPem, purpose)
    const row = { certificate: made.certificatePem, sealed_key, created_at: now() }
    await database.write((tx) => insertInternalRoot(tx, row))
  }
  const row = await findInternalRoot(database.read)
  if (row === undefined) throw new Error('The root of the internal CA is gone')
  return {
    certificatePem: row.certificate,
    privateKeyPem: sealing.open(row.sealed_key, purpose).toString(),
  }
}

/** The internal CA signs at once: there is nothing to prove and nothing to wait for. */
export function createInternalIssuer(context: IssuingContext, root: InternalRoot): Issuer {
  const { now, sealing } = context
  return {
    kind: 'internal',
    id: 'internal',
    title: internalCaTitle,
    async attempt({ row: { name } }, telling) {
      telling.ordered()
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
