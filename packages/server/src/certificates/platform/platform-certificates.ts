import { day } from '../../kernel/clock.ts'
import type { IssuingContext } from '../context.ts'
import { type InternalRoot, issueLeaf } from '../internal-ca/internal-ca.ts'
import { ensureCertificateRequested } from '../jobs/request-certificate.ts'
import { findCertificate, isCertificatePending, type ServableCertificate } from '../read.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'

/** Where the certificates for names of the platform itself come from. Only names that exist are asked for. */
export interface PlatformCertificates {
  /** `accountId`: whose site the name shows; null: it is the platform's own. */
  find(name: string, accountId: string | null): Promise<ServableCertificate | null>
  close(): void
}

/** One certificate a name, asked for when the name first is. Whoever wants it waits for it elsewhere. */
export function acmePlatformCertificates(context: IssuingContext): PlatformCertificates {
  return {
    async find(name, accountId) {
      const found = await findCertificate(context, name)
      if (found !== null && found.notAfter > context.now()) return found
      await ensureCertificateRequested(
        context,
        name,
        accountId === null ? null : { id: accountId, isPaying: false },
      )
      // One that has expired is better than none, unless a new one is about to come.
      return found !== null && (await isCertificatePending(context, name)) ? null : found
    },
    close() {},
  }
}

/** Before a certificate ends it is made anew, for clients whose clock is ahead of ours. */
const replacedBefore = day

/** Made at the first handshake, by each process for itself: it costs a signature, and nothing has to be kept. */
export function internalPlatformCertificates(root: InternalRoot, now: () => number): PlatformCertificates {
  return {
    async find(name) {
      const keys = await generateKeyPair()
      const { chainPem, serial, notAfter } = await issueLeaf(root, {
        name,
        publicKey: keys.publicKey,
        now: now(),
      })
      return { chain: chainPem, keyPem: privateKeyPem(keys), serial, notAfter: notAfter - replacedBefore }
    },
    close() {},
  }
}
