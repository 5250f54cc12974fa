import type { Addresses } from '../config/addresses.ts'
import type { DeploymentContext } from '../deployments/deployment.ts'
import type { Dns } from '../dns/dns.ts'

export interface DomainContext extends DeploymentContext {
  dns: Dns
  addresses: Addresses
  naming: Naming
}

/** What the names and records of domains are made of. */
export interface Naming {
  platformDomain: string
  dashboardHost: string
  edgeAddresses: readonly string[]
  caIdentities: readonly string[]
  /** Who signs certificates, under which our account there is stored; without one it is not known. */
  caDirectory?: string
}
