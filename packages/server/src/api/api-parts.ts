import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import type { Addresses } from '../addresses.ts'
import type { Config } from '../config.ts'
import type { HoldBlobs } from '../deployments/hold-blobs.ts'
import type { DomainContext } from '../domains/context.ts'
import type { Lab } from '../lab/lab.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { MayReadMetrics } from '../metrics-access.ts'
import type { ChangeStreams } from './live/change-streams.ts'
import type { RefusalPace } from './refusal-pace.ts'

/** What the API is built from. */
export interface ApiParts {
  context: DomainContext
  addresses: Addresses
  holdBlobs: HoldBlobs
  operatorKey: string
  limiter: Limiter
  refusalPace: RefusalPace
  streams: ChangeStreams
  /** Null: this server has none. */
  lab: Lab | null
  config: Pick<
    Config,
    'platformDomain' | 'signup' | 'billing' | 'trustedProxies' | 'httpsRedirect' | 'dashboardHost'
  >
  /** PEM; null: certificates come from a CA that people trust already. */
  internalRoot: string | null
  /** The built dashboard, or null where it was not built. */
  dashboardFolder: string | null
  version: string
  metrics: Pick<Registry, 'metrics' | 'contentType'>
  mayReadMetrics: MayReadMetrics
  log: FastifyBaseLogger
}
