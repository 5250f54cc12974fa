import type { HostRedirect } from '../../projects/site.ts'
import { notFoundPage } from '../assets/pages.ts'
import { noBody, type Reply, withoutBody } from '../assets/reply.ts'
import type { RequestTarget } from '../assets/request-path.ts'

/** Redirects to the same path and query on another host, byte for byte. */
export function redirectToHost(
  { status }: Pick<HostRedirect, 'status'>,
  origin: string,
  method: string,
  target: RequestTarget,
): Reply {
  const isRead = method === 'GET' || method === 'HEAD'
  if (target.isChallenge) {
    return method === 'HEAD' ? withoutBody(notFoundPage) : notFoundPage
  }
  const headers = [
    ...['Location', origin + asPath(target.path + target.query)],
    ...['Content-Length', '0'],
    // Browsers would cache a permanent redirect forever, and owners change their minds.
    ...['Cache-Control', 'max-age=0, must-revalidate'],
  ]
  // The body is left unread, so the connection cannot be reused.
  if (!isRead) headers.push('Connection', 'close')
  return { status, headers, body: noBody }
}

/**
 * Directly after the origin only a slash ends the host: `@evil.example` or `.evil.example` would become part of it. No
 * parser lets anything but printable ASCII through to here; if one ever did, it could not break out of the header.
 */
function asPath(target: string): string {
  const path = target.startsWith('/') ? target : '/'
  return path.replace(/[^!-~]/g, (byte) => `%${Buffer.from(byte, 'latin1').toString('hex').toUpperCase()}`)
}
