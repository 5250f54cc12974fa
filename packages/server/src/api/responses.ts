import { Readable } from 'node:stream'
import { accountHeader } from '@masthead/contract/endpoints/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { exposedLimitHeaders } from '../limits/headers.ts'

/**
 * Programs on other sites can use the API with a key, but not with a person's session: browsers send no cookies when
 * the allowed origin is `*`, and a session's writes must come from the dashboard. Names in lower case, here and below:
 * Fastify would convert them for every response.
 */
export const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    ...exposedLimitHeaders,
    'X-Request-Id',
    'Idempotent-Replayed',
    'ETag',
  ].join(', '),
}

/** Readers of event streams that can send a key also send the id of the last event when they reconnect. */
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  accountHeader,
].join(', ')

/** Preflight requests are not counted. */
export function answerPreflights(app: FastifyInstance): void {
  // In a hook, so that no body is read.
  const onRequest = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .status(204)
      .headers({
        'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
        'Access-Control-Allow-Headers': allowedHeaders,
        'Access-Control-Max-Age': '86400',
      })
      .send()
  for (const path of ['/v1', '/v1/*']) app.options(path, { onRequest }, () => undefined)
}

/** One year, the minimum for browsers' preload lists. */
const hstsHeader = { 'strict-transport-security': 'max-age=31536000' }
const noHeaders = {}

/**
 * Sends HSTS if we redirect HTTP to HTTPS anyway. Never on localhost: browsers would apply it to everything there, on
 * every port.
 */
export function strictTransportHeaders({
  httpsRedirect,
  dashboardHost,
}: Pick<Config, 'httpsRedirect' | 'dashboardHost'>): (
  request: Pick<FastifyRequest, 'protocol'>,
) => Record<string, string> {
  const isEnabled = httpsRedirect && !/(^|\.)localhost$/.test(dashboardHost)
  return ({ protocol }) => (isEnabled && protocol === 'https' ? hstsHeader : noHeaders)
}

/** In bytes, or characters of a string. */
const chunkSize = 64 * 1024

/**
 * Writes large responses in chunks, each after the previous one was taken. Otherwise every connection whose client does
 * not read would hold a copy of the whole response.
 */
export function streamLargeResponses(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const isLarge = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > chunkSize
    if (!isLarge) return done(null, payload)
    reply.header('Content-Length', Buffer.byteLength(payload))
    done(null, Readable.from(chunks(payload), { objectMode: false, highWaterMark: chunkSize }))
  })
}

function* chunks(payload: string | Buffer): Generator<Buffer> {
  for (let from = 0; from < payload.length; ) {
    let to = Math.min(from + chunkSize, payload.length)
    if (typeof payload === 'string') {
      // Never split a surrogate pair.
      if (/[\uD800-\uDBFF]/.test(payload.charAt(to - 1))) to++
      yield Buffer.from(payload.slice(from, to))
    } else yield payload.subarray(from, to)
    from = to
  }
}
