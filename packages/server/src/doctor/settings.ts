import { networkInterfaces } from 'node:os'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { isPublicAuthority } from '../certificates/authorities/authorities.ts'
import type { Config } from '../config/config.ts'
import type { ConfigWarning } from '../config/config-warnings.ts'
import type { NodeSettings } from '../database/migrate/live-versions.ts'
import { isGlobalAddress } from '../dns/public-address.ts'
import { formatList } from '../kernel/english.ts'
import { ok, problem, warning } from './check.ts'

export type SettingsConfig = Pick<
  Config,
  | 'platformDomain'
  | 'dashboardHost'
  | 'host'
  | 'edgeAddresses'
  | 'cas'
  | 'httpsRedirect'
  | 'httpPort'
  | 'roles'
>

/** Settings that are valid alone, but not together. `warnings` are those that the start prints too. */
export function judgeSettings(
  config: SettingsConfig,
  { warnings, directoryUrls }: { warnings: readonly ConfigWarning[]; directoryUrls: readonly string[] },
): DoctorFinding[] {
  const { platformDomain, host, edgeAddresses, cas } = config
  const findings = warnings.map(({ message, fix }) =>
    warning(message, fix ?? 'Change or remove the setting.'),
  )
  const isPublicCa = directoryUrls.length > 0 && directoryUrls.every(isPublicAuthority)
  if (isPublicCa && isLocalName(platformDomain)) {
    findings.push(
      problem(
        `MASTHEAD_CA ${formatList(cas.map(({ name }) => name))} issues no certificates for ${platformDomain}, which is not a public name.`,
        'Set MASTHEAD_PLATFORM_DOMAIN to a domain of yours, or MASTHEAD_CA to internal.',
      ),
    )
  }
  const isPublicEdge = edgeAddresses.some((address) => !isLoopback(address))
  if (isLoopback(host) && isPublicEdge) {
    findings.push(
      warning(
        `MASTHEAD_HOST ${host} accepts connections from this machine only, but MASTHEAD_EDGE_ADDRESSES is ${formatList(edgeAddresses)}.`,
        'Set MASTHEAD_HOST to 0.0.0.0 or ::, unless a proxy on this machine passes connections on.',
      ),
    )
  }
  if (config.httpsRedirect && cas[0].name === 'internal' && !isLocalName(platformDomain)) {
    findings.push(
      warning(
        'MASTHEAD_HTTPS_REDIRECT sends visitors to HTTPS with certificates of the internal CA, which browsers do not trust.',
        'Set MASTHEAD_CA to letsencrypt or another CA, or MASTHEAD_HTTPS_REDIRECT to off.',
      ),
    )
  }
  return findings.length > 0 ? findings : [ok('No setting contradicts another.')]
}

/** Addresses that visitors and DNS records need. */
export function judgeEdgeAddresses(
  { edgeAddresses, platformDomain }: Pick<Config, 'edgeAddresses' | 'platformDomain'>,
  here: readonly string[] = localAddresses(),
): DoctorFinding[] {
  if (isLocalName(platformDomain)) return [ok(`${platformDomain} is only for this machine.`)]
  const findings: DoctorFinding[] = []
  const hidden = edgeAddresses.filter((address) => !isGlobalAddress(address))
  if (hidden.length > 0) {
    findings.push(
      warning(
        `${formatList(hidden)} cannot be reached from the internet.`,
        'Set MASTHEAD_EDGE_ADDRESSES to the public addresses of the edge, unless all visitors are in your own network.',
      ),
    )
  }
  const elsewhere = edgeAddresses.filter((address) => isGlobalAddress(address) && !here.includes(address))
  if (elsewhere.length > 0) {
    const noun = elsewhere.length === 1 ? 'is not an address' : 'are not addresses'
    findings.push(
      warning(
        `${formatList(elsewhere)} ${noun} of this machine.`,
        'Nothing to do if NAT, a load balancer or another node passes connections on. Otherwise correct MASTHEAD_EDGE_ADDRESSES.',
      ),
    )
  }
  return findings.length > 0 ? findings : [ok(`${formatList(edgeAddresses)}, on this machine.`)]
}

const widest = { ipv4: 8, ipv6: 16 }

/** How many requests came through somebody who claims to be a proxy. */
export interface ForwardedRequests {
  total: number
  /** With `X-Forwarded-For` from an address that is not trusted. */
  untrusted: number
  lastAddress: string | null
}

const manyRequests = 20

export function judgeProxies(
  ranges: readonly string[],
  forwarded: ForwardedRequests | null,
): DoctorFinding[] {
  const findings: DoctorFinding[] = []
  const all = ranges.filter((range) => range.endsWith('/0'))
  const wide = ranges.filter((range) => !all.includes(range) && isWide(range))
  const narrow = "Set MASTHEAD_TRUSTED_PROXIES to your proxies' own addresses."
  if (all.length > 0) {
    findings.push(
      problem(
        `${formatList(all)} trusts everybody: any client can pretend to have any address and avoid the limits.`,
        narrow,
      ),
    )
  }
  if (wide.length > 0) findings.push(warning(`${formatList(wide)} trusts more than a network.`, narrow))
  const { total = 0, untrusted = 0, lastAddress = null } = forwarded ?? {}
  if (untrusted >= manyRequests && untrusted > total / 2) {
    findings.push(
      warning(
        `Most requests come with X-Forwarded-For from addresses that are not trusted, the last from ${lastAddress}. All clients behind it share one limit.`,
        `If ${lastAddress} is your proxy, add it to MASTHEAD_TRUSTED_PROXIES.`,
      ),
    )
  }
  if (findings.length > 0) return findings
  return [ok(ranges.length === 0 ? 'None.' : `${formatList(ranges)}.`)]
}

function isWide(range: string): boolean {
  const [address = '', bits] = range.split('/')
  return bits !== undefined && Number(bits) < (address.includes(':') ? widest.ipv6 : widest.ipv4)
}

/** Names that no public DNS or CA knows (RFC 6761). */
function isLocalName(name: string): boolean {
  return /(^|\.)(localhost|test|local|internal)$/.test(name)
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

export function localAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  )
}

/** Nodes with another platform domain ask the owners of domains for other records. */
export function judgeNodes(
  { platformDomain }: Pick<Config, 'platformDomain'>,
  nodes: readonly Pick<NodeSettings, 'host' | 'pid' | 'platformDomain'>[],
): DoctorFinding[] {
  return nodes
    .filter((node) => node.platformDomain !== platformDomain)
    .map(({ host, pid, platformDomain: other }) =>
      warning(
        `${host} (process ${pid}) runs on this database with the platform domain ${other}, and this node has ${platformDomain}.`,
        'Set MASTHEAD_PLATFORM_DOMAIN to the same name on every node.',
      ),
    )
}
