import { day } from '../../kernel/clock.ts'
import type { IssuingContext } from '../context.ts'
import { type InternalRoot, issueLeaf } from '../internal-ca/internal-ca.ts'
import { ensureCertificateRequested } from '../jobs/request-certificate.ts'
import { findCertificate, isCertificatePending, type ServableCertificate } from '../read.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'

/** Certificates for the platform's own names. Called only for names that exist. */
export interface PlatformCertificates {
  /** `accountId` is the owner of the site; null for names of the platform itself. */
  find(name: string, accountId: string | null): Promise<ServableCertificate | null>
  close(): void
}

/** One certificate per name, requested on first use. Does not wait for it; the caller does. */
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
      // An expired certificate is better than none, unless a new one is about to arrive.
      return found !== null && (await isCertificatePending(context, name)) ? null : found
    },
    close() {},
  }
}

/** Replaced this long before it expires, for clients whose clocks are ahead of ours. */
const replacedBeforeExpiry = day

/** Each process creates its own at the first handshake: that costs one signature, and nothing needs to be stored. */
export function internalPlatformCertificates(root: InternalRoot, now: () => number): PlatformCertificates {
  return {
    async find(name) {
      const keys = await generateKeyPair()
      const { chainPem, serial, notAfter } = await issueLeaf(root, {
        name,
        publicKey: keys.publicKey,
        now: now(),
      })
      return {
        chain: chainPem,
        keyPem: privateKeyPem(keys),
        serial,
        notAfter: notAfter - replacedBeforeExpiry,
      }
    },
    close() {},
  }
}
