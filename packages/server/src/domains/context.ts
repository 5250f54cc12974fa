import type { Addresses } from '../config/addresses.ts'
import type { DeploymentContext } from '../deployments/deployment.ts'
import type { Dns } from '../dns/dns.ts'

export interface DomainContext extends DeploymentContext {
  dns: Dns
  addresses: Addresses
  naming: Naming
}

/** Names and addresses that domains and their records are built from. */
export interface Naming {
  platformDomain: string
  dashboardHost: string
  edgeAddresses: readonly string[]
  caIdentities: readonly string[]
  /** The certificate authority, under which our account with it is stored. */
  caDirectory?: string
}
