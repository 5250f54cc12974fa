import type { Readable } from 'node:stream'
import type { EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import type { Answer, Receives } from '@masthead/contract/routes.ts'
import type { DoctorReport } from '@masthead/contract/schemas/operator.ts'
import type { Explanation } from '@masthead/contract/schemas/site-rule.ts'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { Addresses } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import type { CommitBlob } from '../deployments/upload/commit-blobs.ts'
import type { Dns } from '../dns/dns.ts'
import type { DomainContext } from '../domains/context.ts'
import type { MayReadMetrics } from '../kernel/tokens.ts'
import type { Lab } from '../lab/lab.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Passes } from '../protection/passes.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { ActorFor } from './identity/access.ts'
import type { RejectionDelay } from './identity/rejection-delay.ts'
import type { ChangeStreams } from './live/change-streams.ts'
import type { OfferedPackages } from './offered-packages.ts'
import type { SerializedAnswer } from './serialize-answer.ts'

/** How the edge answers an address of an account; null if the account has no such address. */
export type Explain = (request: {
  accountId: string
  url: URL
  deployment: string | undefined
  acceptLanguage: string | undefined
  country?: string | undefined
}) => Promise<Explanation | null>

export interface ApiParts {
  context: DomainContext
  addresses: Addresses
  commitBlob: CommitBlob
  explain: Explain
  operatorKey: string
  limiter: Limiter
  /** Signs what lets visitors in to protected sites. */
  passes: Passes
  rejectionDelay: RejectionDelay
  /** Finds the issuers of pipelines' tokens. */
  publicDns: Pick<Dns, 'resolve'>
  /** For the secrets of webhooks. */
  sealing: Sealing
  streams: ChangeStreams
  /** Null if the lab is off. */
  lab: Lab | null
  config: Pick<
    Config,
    'platformDomain' | 'signup' | 'billing' | 'trustedProxies' | 'httpsRedirect' | 'dashboardHost' | 'mail'
  >
  /** Null if certificates come from a public CA. */
  internalRoot: (() => Promise<{ certificatePem: string }>) | null
  /** Null if the dashboard was not built. */
  dashboardFolder: string | null
  /** The guides, in Markdown. */
  docsFolder: string
  packages: OfferedPackages
  version: string
  metrics: Pick<Registry, 'metrics' | 'contentType'>
  mayReadMetrics: MayReadMetrics
  /** Whether this process is about to stop. */
  isLeaving: () => boolean
  /** What the doctor said last; null until its first run has ended. Asking may start another run. */
  doctorReport: () => DoctorReport | null
  log: FastifyBaseLogger
}

/** Validated input of a handler. */
export interface Call<N extends EndpointName> {
  params: Receives<N, 'params'>
  query: Receives<N, 'query'>
  body: Receives<N, 'body'>
  actor: ActorFor<N>
  request: FastifyRequest
  reply: FastifyReply
  /** Throws if the caller would be refused by now. For handlers that read the body themselves. */
  authorizeAgain(): Promise<void>
  /** For answers that are kept. */
  serialize(answer: Answer<N>): SerializedAnswer
}

type HandlerResult<N extends EndpointName> = (typeof endpoints)[N] extends { answers: 'text/event-stream' }
  ? Readable
  : Answer<N> | SerializedAnswer

export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<HandlerResult<N>>
export type Handlers<N extends EndpointName> = { [Name in N]: Handler<Name> }
