import '@fastify/cookie'
import { cookieName, sessionCookie } from '@masthead/contract/session-cookie.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { browserName } from '../../people/sign-in/browser-name.ts'
import { type Device, devicesKeptFor } from '../../people/sign-in/known-devices.ts'
import type { OpenedSession, SessionClient } from '../../people/sign-in/session.ts'

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[nameOf(sessionCookie, request)]
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, session: OpenedSession): void {
  const expires = new Date(session.expiresAt)
  reply.setCookie(nameOf(sessionCookie, request), session.token, {
    ...cookieAttributes(request),
    expires,
  })
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(nameOf(sessionCookie, request), cookieAttributes(request))
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

const isSecure = (request: FastifyRequest) => request.protocol === 'https'

function nameOf(cookie: string, request: FastifyRequest): string {
  return cookieName(cookie, { isSecure: isSecure(request) })
}

function cookieAttributes(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request) } as const
}

const deviceCookie = 'masthead_device'

/** The cookie grants no access: it only distinguishes a known browser from a stranger's. */
export function readDevice(request: FastifyRequest): Device {
  return {
    network: callerOf(request.ip),
    deviceToken: request.cookies[nameOf(deviceCookie, request)],
    client: clientOf(request),
  }
}

export function clientOf(request: FastifyRequest): SessionClient {
  return { address: request.ip, browser: browserName(request.headers['user-agent']) }
}

export function setDeviceCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  deviceToken: string,
  now: number,
): void {
  const expires = new Date(now + devicesKeptFor)
  reply.setCookie(nameOf(deviceCookie, request), deviceToken, { ...cookieAttributes(request), expires })
}
