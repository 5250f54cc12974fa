import { bareId } from './ids.ts'

/** Where things are found from outside: the one place that puts hosts and ports together. */
export interface Addresses {
  dashboard: string
  project(slug: string): string
  /** The origin of any host that the edge serves. */
  host(hostname: string): string
  preview(deploymentId: string, slug: string): string
}

export function createAddresses(config: {
  platformDomain: string
  dashboardHost: string
  httpPort: number
}): Addresses {
  const port = config.httpPort === 80 ? '' : `:${config.httpPort}`
  const at = (host: string) => `http://${host}${port}`
  return {
    dashboard: at(config.dashboardHost),
    host: at,
    project: (slug) => at(`${slug}.${config.platformDomain}`),
    preview: (deploymentId, slug) => at(`${bareId(deploymentId)}--${slug}.${config.platformDomain}`),
  }
}
