import { zoneDelegation } from '../certificates/challenge-dns/challenge-zone.ts'
import type { DomainHooks } from '../certificates/jobs/issuance-job.ts'
import {
  isCoveredByPlatform,
  platformDelegation,
  platformWildcard,
} from '../certificates/platform/platform-wildcard.ts'
import { findInstalledCertificate } from '../certificates/read.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../database/database.ts'
import { findSite } from '../domains/read.ts'
import { findPlatformName, type PlatformName, type PlatformNames } from '../edge/sites/host.ts'

export type FindPlatformName = (name: string) => Promise<PlatformName | null>

/** Decides for edge and worker which names of the platform may have a certificate. */
export function platformNameFinder(context: Context, names: PlatformNames): FindPlatformName {
  return (name) => findPlatformName(name, names, (target) => findSite(context, target, names.platformDomain))
}

/** Whether one certificate may serve all projects. The internal CA signs each name at once. */
export function wantsPlatformWildcard({
  cas,
  dnsListen,
  platformCertificate,
}: Pick<Config, 'cas' | 'dnsListen' | 'platformCertificate'>): boolean {
  return dnsListen !== null && platformCertificate === null && cas[0].name !== 'internal'
}

type Maybe<Hook> = Hook extends (name: string) => Promise<boolean>
  ? (name: string) => Promise<boolean | null>
  : never

/** Like those of domains; null for names that are not the platform's. */
export function platformHooks(
  context: Context & { naming: PlatformNames },
  wantsWildcard: boolean,
): {
  isAllowed: Maybe<DomainHooks['isAllowed']>
  isGone: Maybe<DomainHooks['isGone']>
  accountOf(name: string): Promise<string | null>
} {
  const { database, now, naming } = context
  const wildcard = platformWildcard(naming)
  const find = platformNameFinder(context, naming)
  return {
    async isAllowed(name) {
      if (name === wildcard) return wantsWildcard
      if ((await find(name)) === null) return null
      return !(await isCoveredByPlatform(context, naming, name))
    },
    accountOf: async (name) => (await find(name))?.accountId ?? null,
    async isGone(name) {
      if (name !== wildcard) return null
      // It may be the only certificate of many names, whatever the settings say now.
      const certificate = await findInstalledCertificate(database.read, name)
      return certificate === null || certificate.notAfter <= now()
    },
  }
}

/** What the operator adds to the platform's zone. */
export function recordsForChallenges(
  config: Pick<Config, 'cas' | 'dnsListen' | 'platformCertificate' | 'platformDomain' | 'edgeAddresses'>,
): string[] {
  const shared = wantsPlatformWildcard(config) ? [platformDelegation(config)] : []
  return [...zoneDelegation(config), ...shared].map(({ fqdn, type, value }) => `${fqdn} ${type} ${value}`)
}
