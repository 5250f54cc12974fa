import { wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import { day } from '../../kernel/clock.ts'
import type { IssuingContext } from '../context.ts'
import type { InternalRoot } from '../internal-ca/internal-ca.ts'
import { findJob } from '../jobs/job-store.ts'
import { ensureCertificateRequested } from '../jobs/request-certificate.ts'
import { findCertificate, isCertificatePending, type ServableCertificate } from '../read.ts'
import { purposes } from '../sealed-columns.ts'
import { type CertificateRow, findCertificateRow } from '../store.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'

import { overdueAt, platformWildcard } from './platform-wildcard.ts'

/** Certificates for the platform's own names. Called only for names that exist. */
export interface PlatformCertificates {
  /** `accountId` is the owner of the site; null for names of the platform itself. */
  find(name: string, accountId: string | null): Promise<ServableCertificate | null>
  /** Whether the first certificate of all names is being obtained. */
  isPending(name: string): Promise<boolean>
  close(): void
}

/**
 * The wildcard, as long as it is renewed in time; otherwise one certificate per name, requested on first use. Does not
 * wait for either; the caller does.
 */
export function acmePlatformCertificates(
  context: IssuingContext,
  naming: { platformDomain: string },
): PlatformCertificates {
  const wildcard = platformWildcard(naming)
  const openWildcard = wildcardOpener(context)
  return {
    async find(name, accountId) {
      const { now } = context
      const isBelow = wildcardOver(name) === wildcard
      const shared = isBelow ? await findCertificateRow(context.database.read, wildcard) : undefined
      if (shared !== undefined && now() < overdueAt(shared)) return openWildcard(shared, overdueAt(shared))
      const found = await findCertificate(context, name)
      if (found !== null && found.notAfter > now()) return found
      // A name is not worth an order while the first one for all names is under way.
      if (isBelow && shared === undefined && (await isFirstPending(wildcard))) return null
      await ensureCertificateRequested(
        context,
        name,
        accountId === null ? null : { id: accountId, isPaying: false },
      )
      if (shared !== undefined && shared.not_after > now()) return openWildcard(shared, shared.not_after)
      // An expired certificate is better than none, unless a new one is about to arrive.
      return found !== null && (await isCertificatePending(context, name)) ? null : found
    },
    isPending: async (name) => wildcardOver(name) === wildcard && isFirstPending(wildcard),
    close() {},
  }

  async function isFirstPending(name: string): Promise<boolean> {
    const job = await findJob(context.database.read, name)
    return job !== undefined && job.attempts === 0 && (await isCertificatePending(context, name))
  }
}

/** Returns the same value for the same certificate, so that one TLS context serves all names. */
function wildcardOpener({ sealing }: Pick<IssuingContext, 'sealing'>) {
  let last: ServableCertificate | null = null
  /** `until` is when to look again. */
  return ({ name, chain, serial, sealed_key }: CertificateRow, until: number): ServableCertificate => {
    if (last?.serial !== serial || last.notAfter !== until) {
      const keyPem = sealing.open(sealed_key, purposes.certificate(name)).toString()
      last = { chain, keyPem, serial, notAfter: until }
    }
    return last
  }
}

/** Replaced this long before it expires, for clients whose clocks are ahead of ours. */
const replacedBeforeExpiry = day

/** Each process creates its own at the first handshake: that costs one signature, and nothing needs to be stored. */
export function internalPlatformCertificates(
  readRoot: () => Promise<InternalRoot>,
  now: () => number,
): PlatformCertificates {
  return {
    async find(name) {
      const { issueLeaf } = await import('../internal-ca/internal-ca.ts')
      const keys = await generateKeyPair()
      const { chainPem, serial, notAfter } = await issueLeaf(await readRoot(), {
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
    isPending: async () => false,
    close() {},
  }
}
