import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenedSession } from '../people/session.ts'
import { Problem } from '../problem.ts'

const plainName = 'masthead_session'
/** Browsers accept this one over HTTPS only, for this host only, so a published site can not plant it. */
const secureName = '__Host-masthead_session'

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[cookieName(request)]
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, session: OpenedSession): void {
  const expires = new Date(session.expiresAt)
  reply.setCookie(cookieName(request), session.token, { ...attributes(request), expires })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName(request), attributes(request))
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

function cookieName(request: FastifyRequest): string {
  return request.protocol === 'https' ? secureName : plainName
}

function attributes(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' } as const
}
