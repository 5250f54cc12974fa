import type { StrictTransport } from '../projects/site.ts'
import type { Reply } from './response.ts'
import type { Site } from './site.ts'

/** The reply as it is given over HTTPS. The same for the same reply, so that what is made of it is made once. */
export function overHttps(reply: Reply, site: Site): Reply {
  if ((site.record.hstsMaxAge ?? null) === null) return reply
  const known = site.overHttps.get(reply)
  if (known !== undefined) return known
  const secured = withStrictTransport(reply, site.record)
  site.overHttps.set(reply, secured)
  return secured
}

export function withStrictTransport(reply: Reply, { hstsMaxAge = null }: StrictTransport): Reply {
  if (hstsMaxAge === null) return reply
  const headers = [...reply.headers, 'Strict-Transport-Security', `max-age=${hstsMaxAge}`]
  return { status: reply.status, headers, body: reply.body }
}
