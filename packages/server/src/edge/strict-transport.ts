import type { Reply } from './response.ts'
import type { Site } from './site.ts'

/** The reply as it is given over HTTPS. The same for the same reply, so that what is made of it is made once. */
export function overHttps(reply: Reply, site: Site): Reply {
  const maxAge = site.record.hstsMaxAge ?? null
  if (maxAge === null) return reply
  const known = site.overHttps.get(reply)
  if (known !== undefined) return known
  const headers = [...reply.headers, 'Strict-Transport-Security', `max-age=${maxAge}`]
  const secured: Reply = { status: reply.status, headers, body: reply.body }
  site.overHttps.set(reply, secured)
  return secured
}
