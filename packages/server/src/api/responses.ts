import { Readable } from 'node:stream'
import { accountHeader } from '@masthead/contract/endpoints/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
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

/** A year, as browsers' lists ask for at least. */
const header = { 'Strict-Transport-Security': 'max-age=31536000' }
const none = {}

/**
 * Where plain HTTP leads to HTTPS anyway, browsers are told to come by HTTPS alone. Never on a laptop: a browser would
 * hold everything on localhost to it, whatever else runs there and on whichever port.
 */
export function strictTransportHeaders({
  httpsRedirect,
  dashboardHost,
}: Pick<Config, 'httpsRedirect' | 'dashboardHost'>): (
  request: Pick<FastifyRequest, 'protocol'>,
) => Record<string, string> {
  const isWanted = httpsRedirect && !/(^|\.)localhost$/.test(dashboardHost)
  return ({ protocol }) => (isWanted && protocol === 'https' ? header : none)
}

/** Bytes, or characters of a text. */
const pieceSize = 64 * 1024

/**
 * Large answers are written piece by piece, each once the one before it was taken: written at once, a copy of the whole
 * would wait on every connection whose client does not read.
 */
export function streamLargeResponses(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    if (payload.length <= pieceSize) return payload
    reply.header('Content-Length', Buffer.byteLength(payload))
    return Readable.from(pieces(payload), { objectMode: false, highWaterMark: pieceSize })
  })
}

function* pieces(payload: string | Buffer): Generator<Buffer> {
  for (let from = 0; from < payload.length; ) {
    let to = Math.min(from + pieceSize, payload.length)
    if (typeof payload === 'string') {
      // Never between the two halves of one character.
      if (/[\uD800-\uDBFF]/.test(payload.charAt(to - 1))) to++
      yield Buffer.from(payload.slice(from, to))
    } else yield payload.subarray(from, to)
    from = to
  }
}
