import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import type { Addresses } from '../addresses.ts'
import type { Config } from '../config.ts'
import type { DeploymentContext } from '../deployments/context.ts'
import type { HoldBlobs } from '../deployments/hold-blobs.ts'

/** What the API is built from. */
export interface ApiParts {
  context: DeploymentContext
  addresses: Addresses
  holdBlobs: HoldBlobs
  operatorKey: string
  config: Pick<Config, 'platformDomain' | 'signup' | 'billing' | 'trustedProxies'>
  /** The built dashboard, or null where it was not built. */
  dashboardFolder: string | null
  version: string
  metrics: Pick<Registry, 'metrics' | 'contentType'>
  log: FastifyBaseLogger
}
