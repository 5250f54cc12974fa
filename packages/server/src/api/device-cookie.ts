import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Place, placesKeptFor } from '../people/known-places.ts'
import { networkOf } from '../people/network.ts'
import { cookieAttributes, cookieNamed } from './session-cookie.ts'

const name = 'masthead_device'

/** Where a request to sign in comes from. The cookie opens nothing: it only tells the browser from a stranger's. */
export function placeOf(request: FastifyRequest): Place {
  return { network: networkOf(request.ip), deviceToken: request.cookies[cookieNamed(name, request)] }
}

export function setDeviceCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  deviceToken: string,
  now: number,
): void {
  const expires = new Date(now + placesKeptFor)
  reply.setCookie(cookieNamed(name, request), deviceToken, { ...cookieAttributes(request), expires })
}
