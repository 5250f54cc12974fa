import type { Addresses } from '../config/addresses.ts'
import type { DeploymentContext } from '../deployments/deployment.ts'
import type { Dns } from '../dns/dns.ts'
import type { Routes } from './route.ts'

export interface DomainContext extends DeploymentContext {
  dns: Dns
  addresses: Addresses
  naming: Naming
  /** Sends requests through proxies. Without it, domains behind one cannot be checked. */
  routes?: Routes
}

export interface AuthorityNames {
  /** Under which our account with it is stored. */
  id: string
  /** Its names in CAA records. Empty if it ignores them. */
  identities: readonly string[]
}

/** Names and addresses that domains and their records are built from. */
export interface Naming {
  platformDomain: string
  dashboardHost: string
  edgeAddresses: readonly string[]
  /** Whether we have a nameserver for `acme.{platform}`, so that certificate challenges can be delegated to it. */
  challengeDns: boolean
  /** The certificate authorities, of which one must be allowed by CAA. */
  authorities: readonly AuthorityNames[]
}
