import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { type Device, devicesKeptFor } from '../../people/sign-in/known-devices.ts'
import type { OpenedSession } from '../../people/sign-in/session.ts'

const sessionCookie = 'masthead_session'
/** Browsers only accept this prefix over HTTPS and for this exact host, so a published site cannot set the cookie. */
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
 * Published sites may be hostile. A request that changes something with a person's session must come from the dashboard
 * itself, by its Origin header.
 */
export function refuseForeignOrigin(request: FastifyRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin } = request.headers
  if (origin === `${request.protocol}://${request.host}`) return
  const from = origin === undefined ? 'no origin' : origin
  throw new Problem('origin_refused', `This request comes from ${from}, not from the dashboard.`)
}

function cookieName(name: string, request: FastifyRequest): string {
  return request.protocol === 'https' ? securePrefix + name : name
}

function cookieAttributes(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' } as const
}

const deviceCookie = 'masthead_device'

/** The cookie grants no access: it only distinguishes a known browser from a stranger's. */
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
