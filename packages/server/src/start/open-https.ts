import type { Logger } from 'pino'
import type { IssuingContext } from '../certificates/context.ts'
import { ensureInternalRoot, followInternalRoot } from '../certificates/internal-ca/internal-issuer.ts'
import { filePlatformCertificates } from '../certificates/platform/certificate-files.ts'
import {
  acmePlatformCertificates,
  internalPlatformCertificates,
  type PlatformCertificates,
} from '../certificates/platform/platform-certificates.ts'
import { findAlpnChallenge, findCertificate, isCertificatePending } from '../certificates/read.ts'
import { startTicketKeyRotation } from '../certificates/tickets/ticket-keys.ts'
import type { Config } from '../config/config.ts'
import { isWildcard } from '../dns/domain-name.ts'
import { mayWildcardCover } from '../domains/read.ts'
import type { PlatformNames } from '../edge/sites/host.ts'
import { CertificateCache } from '../edge/tls/certificate-cache.ts'
import { platformNameFinder } from './platform-names.ts'

export interface HttpsParts {
  context: IssuingContext
  names: PlatformNames
  config: Pick<Config, 'cas' | 'platformCertificate'>
  log: Pick<Logger, 'error'>
}

/** What an HTTPS listener needs besides the edge: certificates by name, and session ticket keys. */
export async function openHttps({ context, names, config, log }: HttpsParts) {
  const platform = await openPlatformCertificates()
  const findPlatformName = platformNameFinder(context, names)
  const ticketKeys = await startTicketKeyRotation(context, log)
  const certificates = new CertificateCache({
    ...names,
    source: {
      async ofDomain(name) {
        const own = await findCertificate(context, name)
        if (own !== null || isWildcard(name)) return own
        return (await mayWildcardCover(context, name)) ? null : 'uncovered'
      },
      isPending: async (name) => (await isCertificatePending(context, name)) || platform.isPending(name),
      async ofPlatform(name) {
        // Certificates are issued for names that show something, not for any name a client invents.
        const found = await findPlatformName(name)
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
    const { cas, platformCertificate: files } = config
    const byName =
      cas[0].name === 'internal'
        ? internalPlatformCertificates(
            followInternalRoot(context, await ensureInternalRoot(context)),
            context.now,
          )
        : acmePlatformCertificates(context, names)
    if (files === null) return byName
    return filePlatformCertificates({
      files,
      fallback: byName,
      onChanged: () => certificates.changed({}),
      log,
    })
  }
}
