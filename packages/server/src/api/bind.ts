import { defaultJsonLimits, type Endpoint, type JsonLimits } from '@masthead/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import { type RouteSchemas, routes } from '@masthead/contract/routes.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { z } from 'zod'
import { Problem } from '../kernel/problem.ts'
import type { Call, Handler, Handlers } from './handler.ts'
import { runIdempotently } from './idempotency.ts'
import { refuseUnlessAllowed } from './identity/access.ts'
import type { AuthenticationParts } from './identity/authenticate.ts'
import { refuseForeignOrigin, setSessionCookie } from './identity/cookies.ts'
import { identifyAgain } from './identity/identify.ts'
import { isLimitedKey, keepInProject } from './identity/limited-key.ts'
import { refuseOtherAccount } from './identity/requested-account.ts'
import { LargeAnswers } from './large-answers.ts'
import { isCached } from './pages/not-modified.ts'
import { isJson } from './request/json-body.ts'
import { type ListQuery, markNext, readMarked } from './request/list-cursor.ts'
import { readAddress, readBody, readInput } from './request/read-input.ts'
import { answerSerializer, SerializedAnswer } from './serialize-answer.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    json?: JsonLimits
    /** Whether it expects nothing in the body. */
    hasNoBody?: boolean
  }
}

const noQuery = z.strictObject({})

/**
 * Binds every endpoint of the contract to its handler. The steps of a request, in order:
 *  1. identify the caller and count the request (identify.ts) before reading any of the body, so that a stranger's
 *     upload costs nothing; paths without an endpoint are counted too;
 *  2. check the requested account, the permissions, the project of a key that has only one, and that no other site tricked a browser into sending it;
 *  3. read the body: limit its bytes and values, parse and validate it; then check the permissions again, because a body
 *     may take hours;
 *  4. return the first response if this repeats an earlier request;
 *  5. run the handler, and send only the fields in the contract.
 */
export function bindEndpoints(
  app: FastifyInstance,
  { identifyParts, handlers }: { identifyParts: AuthenticationParts; handlers: Handlers<EndpointName> },
): void {
  const { context } = identifyParts
  const largeAnswers = new LargeAnswers()
  for (const name of Object.keys(endpoints) as EndpointName[]) bindEndpoint(name)

  function bindEndpoint<N extends EndpointName>(name: N): void {
    const endpoint: Endpoint = endpoints[name]
    const schemas: RouteSchemas = routes[name]
    const handler = handlers[name] as Handler<N>
    const { json: jsonLimits = defaultJsonLimits } = endpoint
    const [method, path] = endpoint.route.split(' ') as [HTTPMethods, string]
    const serialize = schemas.answer === undefined ? null : answerSerializer(schemas.answer)
    const querySchema = schemas.query ?? noQuery
    const isList = querySchema instanceof z.ZodObject && 'cursor' in querySchema.shape
    app.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      bodyLimit: jsonLimits.bytes,
      config: { json: jsonLimits, hasNoBody: schemas.body === undefined && endpoint.body === undefined },
      // HEAD on a stream would hold it open for nothing.
      exposeHeadRoute: endpoint.answers !== 'text/event-stream',
      onRequest(request, reply, done) {
        try {
          authorize(endpoint, request)
          guardSession(request, reply)
          if (isLimitedKey(request.actor)) keepInProject(context, endpoint, request).then(() => done(), done)
          else done()
        } catch (error) {
          done(error as Error)
        }
      },
      async handler(request, reply) {
        const hasJsonBody = request.body === undefined || isJson(request)
        if (endpoint.body === undefined && !hasJsonBody) {
          throw new Problem('unsupported_media_type', 'Send the body as application/json.')
        }
        const authorizeAgain = async () => {
          await identifyAgain(identifyParts, request)
          authorize(endpoint, request)
        }
        if (request.body !== undefined) await authorizeAgain()
        const params = schemas.params && readAddress(schemas.params, request.params)
        const given = readInput(querySchema, request.query) as ListQuery
        const query = isList ? readMarked(name, given) : given
        const toJson = (answer: unknown) =>
          serialize?.(reply, isList ? markNext(name, query, answer as Page<unknown>) : answer) ?? ''
        const call = {
          params,
          query,
          body: schemas.body && hasJsonBody ? await readBody(schemas.body, request.body) : undefined,
          actor: request.actor,
          request,
          reply,
          authorizeAgain,
          serialize: (answer: unknown) => new SerializedAnswer(toJson(answer)),
        } as Call<N>
        reply.status(endpoint.status ?? 200)
        // The handlers of one-time requests use `runOneTime`, because only they know what to store.
        const isIdempotent = method === 'POST' && !endpoint.oneTime
        const answer = await (isIdempotent
          ? runIdempotently(context, largeAnswers, call, handler)
          : handler(call))
        if (endpoint.versioned && method === 'GET' && hasCurrent(request, reply))
          return reply.status(304).send()
        if (endpoint.answers !== undefined) return reply.type(endpoint.answers).send(answer)
        if (serialize === null) return reply.send()
        const json = answer instanceof SerializedAnswer ? answer.bytes : toJson(answer)
        return reply.type('application/json; charset=utf-8').send(json)
      },
    })
  }
}

function hasCurrent({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  return isCached(headers['if-none-match'], String(reply.getHeader('etag')))
}

function authorize(endpoint: Endpoint, request: FastifyRequest): void {
  refuseOtherAccount(endpoint, request)
  refuseUnlessAllowed(endpoint, request.actor)
}

function guardSession(request: FastifyRequest, reply: FastifyReply): void {
  if (request.actor?.kind !== 'person') return
  refuseForeignOrigin(request)
  const { prolonged, expiresAt } = request.actor.session
  if (prolonged) setSessionCookie(request, reply, { token: request.credential?.secret ?? '', expiresAt })
}
