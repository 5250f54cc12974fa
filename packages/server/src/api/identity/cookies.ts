import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { type Device, devicesKeptFor } from '../../people/sign-in/known-devices.ts'
import type { OpenedSession } from '../../people/sign-in/session.ts'

const sessionCookie = 'masthead_session'
/** Browsers accept such a name over HTTPS only, for this host only, so a published site can not plant it. */
const securePrefix = '__Host-'

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[cookieName(sessionCookie, request)]
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, session: OpenedSession): void {
  const expires = new Date(session.expiresAt)
  reply.setCookie(cookieName(sessionCookie, request), session.token, {
    ...cookieAttributes(request),
    expires,
  })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(cookieName(sessionCookie, request), cookieAttributes(request))
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

function cookieName(name: string, request: FastifyRequest): string {
  return request.protocol === 'https' ? securePrefix + name : name
}

function cookieAttributes(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' } as const
}

const deviceCookie = 'masthead_device'

/** Where a request to sign in comes from. The cookie opens nothing: it only tells the browser from a stranger's. */
export function readDevice(request: FastifyRequest): Device {
  return { network: callerOf(request.ip), deviceToken: request.cookies[cookieName(deviceCookie, request)] }
}

export function setDeviceCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  deviceToken: string,
  now: number,
): void {
  const expires = new Date(now + devicesKeptFor)
  reply.setCookie(cookieName(deviceCookie, request), deviceToken, { ...cookieAttributes(request), expires })
}
