import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { isIP } from '../../kernel/ip-address.ts'
import { readSiteLabel } from '../../projects/read.ts'
import type { SiteTarget } from '../../projects/site.ts'

export interface HostNames {
  platformDomain: string
  dashboardHost: string
  /** Addresses this process listens on. Requests for an address get the dashboard. */
  listenerAddresses: readonly string[]
}

/** A host that may have a site. */
export type PublicHost = Exclude<SiteTarget, { kind: 'branch' }> | { kind: 'domain'; hostname: string }

export type HostRoute =
  | { kind: 'dashboard' }
  | { kind: 'platform' }
  | PublicHost
  | { kind: 'unknown'; hostname: string }
  | { kind: 'invalid' }

/** What a Host header, or the authority of an absolute request target, leads to. */
export function classifyHost(host: string | undefined, names: HostNames): HostRoute {
  const hostname = hostnameOf(host ?? '')
  if (hostname === null) return { kind: 'invalid' }
  if (hostname === names.dashboardHost || names.listenerAddresses.includes(hostname)) {
    return { kind: 'dashboard' }
  }
  if (hostname === names.platformDomain) return { kind: 'platform' }
  const route = hostname.endsWith(`.${names.platformDomain}`)
    ? readSiteLabel(hostname.slice(0, -names.platformDomain.length - 1))
    : domainOf(hostname)
  return route ?? { kind: 'unknown', hostname }
}

/** At least two labels, the last of which does not start with a digit: that would be an address. */
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

function domainOf(hostname: string): PublicHost | null {
  return domainName.test(hostname) ? { kind: 'domain', hostname } : null
}

/** The first label of a site's host. What follows a branch has none; no label has a slash. */
export function labelOf(target: SiteTarget): string {
  if (target.kind === 'branch') return `${target.slug}/${target.branch}`
  return target.kind === 'project' ? target.slug : `${target.deployment}--${target.slug}`
}

/** In lower case, without port, trailing dot or IPv6 brackets; null if it is not a host. */
export function hostnameOf(host: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::\d{0,5})?$/.exec(
    host.toLowerCase(),
  )
  const hostname = match?.[1] ?? match?.[2]
  return hostname === undefined || hostname.length > 253 ? null : hostname
}

export type PlatformNames = Pick<HostNames, 'platformDomain' | 'dashboardHost'>

/** What a server name (SNI) leads to. Unlike a Host header it is never an address (RFC 6066, section 3). */
export function classifyServerName(name: string, names: PlatformNames): HostRoute {
  const hostname = hostnameOf(name)
  if (hostname === null || isIP(hostname) !== 0) return { kind: 'invalid' }
  return classifyHost(hostname, { ...names, listenerAddresses: [] })
}

export interface PlatformName {
  /** The owner of its site; null for names of the platform itself. */
  accountId: string | null
}

/**
 * A name of the platform that may have a certificate, because it shows something; null for all others. Edge and worker
 * must agree on this: a certificate that one requests and the other refuses would be requested forever.
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

/** The server name of a TLS connection; null over plain HTTP. */
export function servernameOf(socket: Duplex): string | null {
  return socket instanceof TLSSocket ? String(socket.servername) : null
}
