import { networkInterfaces } from 'node:os'
import { bareId } from '../kernel/ids.ts'

/** Where things are found from outside: the one place that puts schemes, hosts and ports together. */
export interface Addresses {
  dashboard: string
  project(slug: string): string
  preview(deploymentId: string, slug: string): string
  /** The origins of all projects and previews, by plain HTTP and by HTTPS, with a wildcard for the first label. */
  sites: readonly string[]
  /** The origin of any host that the edge serves. */
  host(hostname: string): string
  /** The same by plain HTTP and by HTTPS, whichever is shown to people. */
  plain(hostname: string): string
  secure(hostname: string): string
}

export interface AddressConfig {
  platformDomain: string
  dashboardHost: string
  httpPort: number
  publicHttpsPort: number
  /** Where plain HTTP leads to HTTPS, the latter is what people are shown. */
  httpsRedirect: boolean
}

export function createAddresses(config: AddressConfig): Addresses {
  const { platformDomain, dashboardHost } = config
  const plainPort = config.httpPort === 80 ? '' : `:${config.httpPort}`
  const securePort = config.publicHttpsPort === 443 ? '' : `:${config.publicHttpsPort}`
  const plain = (host: string) => `http://${host}${plainPort}`
  const secure = (host: string) => `https://${host}${securePort}`
  const host = config.httpsRedirect ? secure : plain
  return {
    dashboard: host(dashboardHost),
    project: (slug) => host(`${slug}.${platformDomain}`),
    preview: (deploymentId, slug) => host(`${bareId(deploymentId)}--${slug}.${platformDomain}`),
    sites: [plain(`*.${platformDomain}`), secure(`*.${platformDomain}`)],
    host,
    plain,
    secure,
  }
}

/** The addresses under which a listener is reached: all of this machine's where it listens on all of them. */
export function listenerAddresses(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host]
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const reachable = interfaces.filter(({ family }) => host === '::' || family === 'IPv4')
  return reachable.map(({ address }) => address)
}
