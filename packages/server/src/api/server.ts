import { createServer } from 'node:http'
import cookie from '@fastify/cookie'
import { defaultJsonLimits } from '@masthead/contract/endpoints/endpoint.ts'
import type { EndpointName } from '@masthead/contract/endpoints.ts'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { rangeMatcher } from '../config/address-ranges.ts'
import { createAskedChecks } from '../domains/checks/asked-checks.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { hashSecret } from '../kernel/tokens.ts'
import { createKeyCache } from '../keys/find-key-actor.ts'
import { createSessionCache } from '../people/sign-in/session.ts'
import { bindEndpoints } from './bind.ts'
import type { ApiParts, Handlers } from './handler.ts'
import { serveStatus } from './health/health.ts'
import { type IdentifyParts, identify, identifyByAddress } from './identity/identify.ts'
import { serveDashboard } from './pages/dashboard.ts'
import { serveDocs } from './pages/docs/serve-docs.ts'
import { servePackages } from './pages/packages.ts'
import { serveReference } from './pages/reference.ts'
import { serveSiteSignIn } from './pages/site-sign-in.ts'
import { sendProblem } from './problem-response.ts'
import { encodedBodyProblem } from './request/content-encoding.ts'
import { emptyBody, isTypedButEmpty } from './request/empty-body.ts'
import { parseJsonBodies, tooLargeProblem } from './request/json-body.ts'
import { canonicalTarget, cleanForwardedHeaders } from './request/normalize-request.ts'
import { notFound, refuseUnreadable } from './request/unmatched-requests.ts'
import { archiveTypes } from './request/uploads.ts'
import {
  answerPreflights,
  crossOriginHeaders,
  streamLargeResponses,
  strictTransportHeaders,
} from './responses.ts'
import { accountRoutes } from './routes/account.ts'
import { deploymentRoutes } from './routes/deployments.ts'
import { domainRoutes, labRoutes } from './routes/domains.ts'
import { commandLineRoutes, keyRoutes } from './routes/keys.ts'
import { operatorRoutes } from './routes/operator.ts'
import { peopleRoutes } from './routes/people.ts'
import { personRoutes } from './routes/person.ts'
import { projectRoutes } from './routes/projects.ts'
import { proofRoutes } from './routes/proofs.ts'
import { serverRoutes } from './routes/server.ts'
import { sessionRoutes } from './routes/session.ts'
import { trustedPublisherRoutes } from './routes/trusted-publishers.ts'
import { webhookRoutes } from './routes/webhooks.ts'

/**
 * Serves the dashboard's host: API, reference, dashboard and status. It does not listen: the edge passes requests to
 * it.
 */
export async function createApi(parts: ApiParts): Promise<FastifyInstance> {
  const strictTransport = strictTransportHeaders(parts.config)
  const { changes, now } = parts.context
  const identifyParts: IdentifyParts = {
    ...parts,
    operatorKeyHash: hashSecret(parts.operatorKey),
    keyCache: createKeyCache(changes),
    sessionCache: createSessionCache(changes),
    isProxy: rangeMatcher(parts.config.trustedProxies),
  }
  const app: FastifyInstance = Fastify({
    serverFactory: (handler) => createServer(handler),
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    // By the same clock as what is stored: the ids of a process never go back in time.
    genReqId: () => newId('request', now()),
    requestIdHeader: false,
    trustProxy: parts.config.trustedProxies.length > 0 ? [...parts.config.trustedProxies] : false,
    bodyLimit: defaultJsonLimits.bytes,
    routerOptions: { maxParamLength: 300 },
    // Runs first, before anything looks at the client's address.
    rewriteUrl: ({ url = '', headers }) => {
      cleanForwardedHeaders(headers)
      return canonicalTarget(url)
    },
    // A JSON body with `__proto__` is refused as malformed.
    onProtoPoisoning: 'error',
    // A URL that cannot be decoded never reaches a route or hook.
    frameworkErrors: (error, request, reply) =>
      void identifyByAddress(identifyParts, request, setApiHeaders(setCommonHeaders(request, reply))).then(
        () => sendProblem(error, request, reply),
        (refusal: unknown) => sendProblem(refusal, request, reply),
      ),
    return503OnClosing: false,
  })
  app.setErrorHandler(sendProblem)
  await app.register(cookie)
  app.decorateRequest('actor', null)
  app.decorateRequest('credential', null)
  app.decorateRequest('isCounted', false)
  // With callbacks, here and below: a promise for each hook of a request costs more than what it does.
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply)
    if (isApi(request)) count(request, reply).then(() => done(refusalOf(request)), done)
    else done(refusalOf(request))
  })
  app.setNotFoundHandler(async (request, reply) => {
    await count(request, reply)
    throw notFound(request)
  })
  app.addHook('preParsing', (request, reply, payload, done) => {
    const refusal = encodedBodyProblem(request) ?? tooLargeProblem(request)
    if (refusal !== null) return done(refusal)
    if (request.headers.expect !== undefined && request.raw.httpVersionMajor === 1) reply.raw.writeContinue()
    done(null, isTypedButEmpty(request) ? emptyBody(request) : payload)
  })
  answerPreflights(app)
  streamLargeResponses(app)

  // Uploads stay streams.
  const streamed = [...Object.keys(archiveTypes), 'application/octet-stream']
  app.addContentTypeParser(streamed, (_request, payload, done) => done(null, payload))
  app.removeContentTypeParser('text/plain')
  parseJsonBodies(app)

  const asked = createAskedChecks()
  const handlers: Handlers<EndpointName> = {
    ...serverRoutes(parts),
    ...sessionRoutes(parts),
    ...commandLineRoutes(parts),
    ...accountRoutes(parts),
    ...peopleRoutes(parts),
    ...personRoutes(parts),
    ...keyRoutes(parts),
    ...trustedPublisherRoutes(parts),
    ...webhookRoutes(parts),
    ...proofRoutes(parts, asked),
    ...projectRoutes(parts),
    ...deploymentRoutes(parts),
    ...domainRoutes(parts, asked),
    ...labRoutes(parts),
    ...operatorRoutes(parts),
  }
  bindEndpoints(app, { identifyParts, handlers })
  refuseUnreadable(app)
  serveStatus(app, parts)
  await serveSiteSignIn(app, parts)
  serveReference(app, parts)
  serveDocs(app, parts)
  servePackages(app, parts.packages)
  await serveDashboard(app, { folder: parts.dashboardFolder, sites: parts.addresses.sites })
  await app.ready()
  return app

  function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return (
      reply
        .header('x-request-id', request.id)
        .header('x-content-type-options', 'nosniff')
        // The command line compares it with its own.
        .header('masthead-version', parts.version)
        .headers(strictTransport(request))
    )
  }

  function count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.isCounted) return Promise.resolve()
    request.isCounted = true
    setApiHeaders(reply)
    return isPreflight(request) ? Promise.resolve() : identify(identifyParts, request, reply)
  }
}

const apiHeaders = { 'cache-control': 'no-store', ...crossOriginHeaders }

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request was counted. */
    isCounted: boolean
  }
}

function setApiHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers(apiHeaders)
}

/** Decides by the matched route, never by how the target is spelled. Requests without a route are counted too. */
function isApi({ is404, routeOptions }: FastifyRequest): boolean {
  return is404 || routeOptions.url === '/v1' || routeOptions.url?.startsWith('/v1/') === true
}

/** Found before the body is read. */
function refusalOf(request: FastifyRequest): Problem | undefined {
  if (!isSupportedExpectation(request.headers.expect)) {
    return new Problem('expectation_failed', 'The only supported expectation is 100-continue.')
  }
  return request.is404 ? notFound(request) : undefined
}

function isSupportedExpectation(expectation: string | undefined): boolean {
  return expectation === undefined || expectation.toLowerCase() === '100-continue'
}

function isPreflight({ is404, method }: FastifyRequest): boolean {
  return method === 'OPTIONS' && !is404
}
