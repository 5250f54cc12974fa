import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenedSession } from '../people/session.ts'
import { Problem } from '../problem.ts'

const name = 'masthead_session'
/** Browsers accept such a name over HTTPS only, for this host only, so a published site can not plant it. */
const securePrefix = '__Host-'

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[cookieNamed(name, request)]
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, session: OpenedSession): void {
  const expires = new Date(session.expiresAt)
  reply.setCookie(cookieNamed(name, request), session.token, { ...cookieAttributes(request), expires })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieNamed(name, request), cookieAttributes(request))
}

/**
 * Published sites are hostile neighbours. A browser tells where a request comes from; one that would change
 * something with the session of a person must come from the dashboard itself.
 */
export function refuseForeignOrigin(request: FastifyRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin } = request.headers
  if (origin === `${request.protocol}://${request.host}`) return
  const from = origin === undefined ? 'no origin' : `the origin ${origin}`
  throw new Problem('origin_refused', `The request names ${from}, not this dashboard.`)
}

export function cookieNamed(name: string, request: FastifyRequest): string {
  return request.protocol === 'https' ? securePrefix + name : name
}

export function cookieAttributes(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' } as const
}
