import { accountHeader } from '@masthead/contract/account-header.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exposedLimitHeaders } from '../limits/headers.ts'

/**
 * Programs on other sites may use the API with a key. They can not use a person's session: a browser sends no
 * cookies where the allowed origin is `*`, and state-changing requests of a session must come from the dashboard.
 */
export const crossOriginHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [
    ...exposedLimitHeaders,
    'X-Request-Id',
    'Idempotent-Replayed',
    'ETag',
  ].join(', '),
}

/** What a browser asks before it asks; it costs nothing. */
export function answerPreflights(app: FastifyInstance): void {
  // Answered by a hook, so that no body is read.
  const onRequest = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .status(204)
      .headers({
        'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
        'Access-Control-Allow-Headers': `Authorization, Content-Type, Idempotency-Key, If-Match, ${accountHeader}`,
        'Access-Control-Max-Age': '86400',
      })
      .send()
  app.options('/v1/*', { onRequest }, () => undefined)
}
