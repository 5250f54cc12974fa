import type { FastifyRequest } from 'fastify'
import { Problem } from '../../kernel/problem.ts'

/** Found before the body is read: RFC 9110, 15.5.16. We would take the compressed bytes for the content. */
export function encodedBodyProblem({ headers, routeOptions }: FastifyRequest): Problem | null {
  const { 'content-encoding': encoding } = headers
  if (encoding === undefined || routeOptions.config.hasNoBody === true) return null
  if (/^(?:[\s,]|identity)*$/i.test(encoding)) return null
  return new Problem(
    'unsupported_media_type',
    `This server does not decode bodies, and this one has the Content-Encoding ${encoding.slice(0, 40)}. Send it without.`,
    { headers: { 'Accept-Encoding': 'identity' } },
  )
}
