import { networkInterfaces } from 'node:os'
import { bareId } from '../kernel/ids.ts'

/** Public URLs. The only place that combines schemes, hosts and ports. */
export interface Addresses {
  dashboard: string
  project(slug: string): string
  preview(deploymentId: string, slug: string): string
  /** The newest deployment of a branch. */
  branch(label: string, slug: string): string
  /** The origins of all projects and previews over HTTP and HTTPS, with a wildcard as the first label. */
  sites: readonly string[]
  /** The origin of any host the edge serves, as shown to people. */
  host(hostname: string): string
  /** Over plain HTTP and over HTTPS. */
  plain(hostname: string): string
  secure(hostname: string): string
}

export interface AddressConfig {
  platformDomain: string
  dashboardHost: string
  httpPort: number
  publicHttpsPort: number
  /** If plain HTTP redirects to HTTPS, people are shown HTTPS URLs. */
  httpsRedirect: boolean
}

export function createAddresses(config: AddressConfig): Addresses {
  const { platformDomain, dashboardHost } = config
  const plainPort = config.httpPort === 80 ? '' : `:${config.httpPort}`
  const securePort = config.publicHttpsPort === 443 ? '' : `:${config.publicHttpsPort}`
  const plain = (host: string) => `http://${host}${plainPort}`
  const secure = (host: string) => `https://${host}${securePort}`
  const host = config.httpsRedirect ? secure : plain
  const version = (label: string, slug: string) => host(`${label}--${slug}.${platformDomain}`)
  return {
    dashboard: host(dashboardHost),
    project: (slug) => host(`${slug}.${platformDomain}`),
    preview: (deploymentId, slug) => version(bareId(deploymentId), slug),
    branch: version,
    sites: [plain(`*.${platformDomain}`), secure(`*.${platformDomain}`)],
    host,
    plain,
    secure,
  }
}

/** The addresses of a listener: all of this machine's if it listens on all of them. */
export function listenerAddresses(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host]
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const reachable = interfaces.filter(({ family }) => host === '::' || family === 'IPv4')
  return reachable.map(({ address }) => address)
}
