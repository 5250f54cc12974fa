import { randomUUID, X509Certificate } from 'node:crypto'
import { internalCaTitle } from '@masthead/contract/domains/certificate-trouble.ts'
import { type Context, lock } from '../../database/database.ts'
import type { IssuingContext } from '../context.ts'
import type { Issuer } from '../jobs/issuer.ts'
import { purposes } from '../sealed-columns.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'
import type { InternalRoot } from './internal-ca.ts'
import { findInternalRoots, type InternalRootRow, insertInternalRoot } from './internal-root-store.ts'
import { leafLifetime } from './lifetimes.ts'

export type RootContext = Pick<IssuingContext, 'database' | 'now' | 'sealing'>

/** The root of the internal CA, shared by all nodes. Created on first start, and again before it expires. */
export async function ensureInternalRoot({ database, now, sealing }: RootContext): Promise<InternalRoot> {
  const purpose = purposes.internalRoot()
  const { certificate, sealed_key } =
    currentRoot(await findInternalRoots(database.read), now()) ?? (await create())
  return { certificatePem: certificate, privateKeyPem: sealing.open(sealed_key, purpose).toString() }

  async function create(): Promise<InternalRootRow> {
    const { createRoot } = await import('./internal-ca.ts')
    const created = await createRoot(now())
    const sealed_key = sealing.seal(created.privateKeyPem, purpose)
    return database.write(async (tx) => {
      await lock(database, tx, 'internal root')
      const roots = await findInternalRoots(tx)
      const existing = currentRoot(roots, now())
      if (existing !== undefined) return existing
      // Versions that know only one root look for this id.
      const id = roots.length === 0 ? 'root' : randomUUID()
      const row = { id, certificate: created.certificatePem, sealed_key, created_at: now() }
      await insertInternalRoot(tx, row)
      return row
    })
  }
}

/**
 * The oldest that outlasts a certificate issued now. Former ones are kept: if the clock was wrong when one was replaced,
 * devices still trust it. The first is used even before its time, because the clock may have been set back.
 */
function currentRoot(roots: readonly InternalRootRow[], now: number): InternalRootRow | undefined {
  return roots.find(({ certificate }, index) => {
    const { validFromDate, validToDate } = new X509Certificate(certificate)
    return outlastsLeaf(validToDate, now) && (index === 0 || validFromDate.getTime() <= now)
  })
}

function outlastsLeaf(end: Date, now: number): boolean {
  return end.getTime() >= now + leafLifetime
}

/** The current root, from memory until another one takes its place. */
export function followInternalRoot(context: RootContext, first: InternalRoot): () => Promise<InternalRoot> {
  let known = first
  return async () => {
    const { validFromDate, validToDate } = new X509Certificate(known.certificatePem)
    const now = context.now()
    const isCurrent = outlastsLeaf(validToDate, now) && validFromDate.getTime() <= now
    if (!isCurrent) known = await ensureInternalRoot(context)
    return known
  }
}

export interface RootTimes {
  end: number
  /** When it took the place of another one; null for the first. */
  replacedAt: number | null
}

/** Null if there is no root yet, or none that lasts. */
export async function readRootTimes({ database, now }: Context): Promise<RootTimes | null> {
  const roots = await findInternalRoots(database.read)
  const current = currentRoot(roots, now())
  if (current === undefined) return null
  const end = new X509Certificate(current.certificate).validToDate.getTime()
  return { end, replacedAt: current === roots[0] ? null : current.created_at }
}

/** Signs immediately: nothing needs to be validated. */
export function createInternalIssuer(context: IssuingContext, root: InternalRoot): Issuer {
  const { now, sealing } = context
  const readRoot = followInternalRoot(context, root)
  return {
    kind: 'internal',
    id: 'internal',
    title: internalCaTitle,
    async attempt({ row: { name } }, progress) {
      progress.ordered()
      const { issueLeaf } = await import('./internal-ca.ts')
      const keys = await generateKeyPair()
      const issued = await issueLeaf(await readRoot(), { name, publicKey: keys.publicKey, now: now() })
      const sealedKey = sealing.seal(privateKeyPem(keys), purposes.certificate(name))
      return { kind: 'issued', issued, sealedKey }
    },
    closeOrder: async () => {},
    readRenewalInfo: async () => null,
    caIdentities: () => [],
  }
}
