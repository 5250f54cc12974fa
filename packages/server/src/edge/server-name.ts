import { isIP } from 'node:net'
import type { SiteTarget } from '../projects/site.ts'
import { classifyHost, type HostNames, type HostRoute, hostnameOf } from './host.ts'

export type PlatformNames = Pick<HostNames, 'platformDomain' | 'dashboardHost'>

/** What a name in a handshake leads to. Unlike a Host header it is never an address (RFC 6066, section 3). */
export function classifyServerName(name: string, names: PlatformNames): HostRoute {
  const hostname = hostnameOf(name)
  if (hostname === null || isIP(hostname) !== 0) return { kind: 'invalid' }
  return classifyHost(hostname, { ...names, listenerAddresses: [] })
}

export interface PlatformName {
  /** Whose site it shows; null for the names of the platform itself. */
  accountId: string | null
}

/**
 * A name of the platform that shows something; null for all others. Edge and worker both ask this: a certificate that
 * one requests and the other refuses would be requested again without end.
 */
export async function findPlatformName(
  name: string,
  names: PlatformNames,
  findSite: (target: SiteTarget) => Promise<{ accountId: string } | null>,
): Promise<PlatformName | null> {
  const host = classifyServerName(name, names)
  if (host.kind === 'dashboard' || host.kind === 'platform') return { accountId: null }
  if (host.kind !== 'project' && host.kind !== 'preview') return null
  const site = await findSite(host)
  return site === null ? null : { accountId: site.accountId }
}
