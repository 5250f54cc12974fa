import type { Logger } from 'pino'
import type { IssuingContext } from '../certificates/context.ts'
import { ensureInternalRoot } from '../certificates/internal-ca/internal-issuer.ts'
import { filePlatformCertificates } from '../certificates/platform/certificate-files.ts'
import {
  acmePlatformCertificates,
  internalPlatformCertificates,
  type PlatformCertificates,
} from '../certificates/platform/platform-certificates.ts'
import { findAlpnChallenge, findCertificate, isCertificatePending } from '../certificates/read.ts'
import { startTicketKeyRotation } from '../certificates/tickets/ticket-keys.ts'
import type { Config } from '../config/config.ts'
import { findPlatformName, type PlatformNames } from '../edge/sites/host.ts'
import type { SiteSource } from '../edge/sites/site-router.ts'
import { CertificateCache } from '../edge/tls/certificate-cache.ts'

export interface HttpsParts {
  context: IssuingContext
  names: PlatformNames
  config: Pick<Config, 'ca' | 'platformCertificate'>
  sites: Pick<SiteSource, 'find'>
  log: Pick<Logger, 'error'>
}

/** What an HTTPS listener needs beside the edge itself: certificates by name, and the keys of sessions. */
export async function openHttps({ context, names, config, sites, log }: HttpsParts) {
  const platform = await openPlatformCertificates()
  const ticketKeys = await startTicketKeyRotation(context, log)
  const certificates = new CertificateCache({
    ...names,
    source: {
      ofDomain: (name) => findCertificate(context, name),
      isOnItsWay: (name) => isCertificatePending(context, name),
      async ofPlatform(name) {
        // Certificates are got for names that show something, not for whatever a stranger thinks of.
        const found = await findPlatformName(name, names, sites.find)
        return found === null ? null : platform.find(name, found.accountId)
      },
      validation: (name) => findAlpnChallenge(context, name),
    },
    log,
  })
  return {
    certificates,
    ticketKeys,
    close() {
      ticketKeys.close()
      platform.close()
    },
  }

  async function openPlatformCertificates(): Promise<PlatformCertificates> {
    const { ca, platformCertificate: files } = config
    const byName =
      ca.name === 'internal'
        ? internalPlatformCertificates(await ensureInternalRoot(context), context.now)
        : acmePlatformCertificates(context)
    if (files === null) return byName
    return filePlatformCertificates({
      files,
      fallback: byName,
      onChanged: () => certificates.changed({}),
      log,
    })
  }
}
