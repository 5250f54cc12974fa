import type { Client } from '@masthead/client/client.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { isProblem } from '../../../../../api/client.ts'
import { problemWords } from '../../../../../problem-words.ts'
import { type DomainsConfig, sameConfig } from '../config/config.ts'

export interface UndoneRemoval {
  project: string
  domain: Domain
  /** The configuration before the removal, and the one that it left. */
  before: DomainsConfig
  left: DomainsConfig
}

/** Adds a removed domain again, with its branch, proxy and redirects. Returns what happened. */
export async function undoRemoval(client: Client, removal: UndoneRemoval): Promise<string> {
  const { project, domain } = removal
  try {
    await client.addDomain({ params: { project }, body: { hostname: domain.hostname } })
  } catch (error) {
    return `${domain.unicode} was not added again. ${problemWords(error).what}`
  }
  const failures = [await restoreSettings(client, removal), await restoreConfig(client, removal)]
  const lost = failures.filter((each) => each !== null)
  const [first] = lost
  if (first === undefined) return `${domain.unicode} was added again. We are checking DNS.`
  const what = lost.map((each) => each.what).join(' and ')
  return `${domain.unicode} was added again, but without ${what}. ${problemWords(first.error).what}`
}

interface NotRestored {
  what: string
  error: unknown
}

/** Adding a domain takes only its name. */
async function restoreSettings(
  client: Client,
  { project, domain: { hostname, branch, proxied } }: UndoneRemoval,
): Promise<NotRestored | null> {
  if (branch === null && proxied === null) return null
  const body = {
    ...(branch !== null && { branch }),
    ...(proxied !== null && { proxied: proxied.provider }),
  }
  try {
    await client.changeDomain({ params: { project, hostname }, body })
    return null
  } catch (error) {
    const what = [
      ...(branch === null ? [] : [`its branch ${branch}`]),
      ...(proxied === null ? [] : ['its proxy']),
    ]
    return { what: what.join(' and '), error }
  }
}

/** Leaves a configuration alone that someone changed since the removal. */
async function restoreConfig(
  client: Client,
  { project, before, left }: UndoneRemoval,
): Promise<NotRestored | null> {
  if (sameConfig(before, left)) return null
  const params = { project }
  try {
    const { domains, etag } = await client.getDomainConfig({ params })
    if (!sameConfig(domains, left)) return null
    await client.putDomainConfig({ params, body: { domains: before }, ifMatch: etag })
    return null
  } catch (error) {
    if (isProblem(error, 'domain_config_changed')) return null
    const wasPrimary = before.primary !== left.primary
    return { what: wasPrimary ? 'being the primary domain' : 'its redirects', error }
  }
}
