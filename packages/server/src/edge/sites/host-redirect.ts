import type { HostRedirect } from '../../projects/site.ts'
import { notFoundPage } from '../assets/pages.ts'
import { noBody, type Reply, withoutBody } from '../assets/reply.ts'
import type { RequestTarget } from '../assets/request-path.ts'
import { isChallenge } from './acme-challenges.ts'

/** What a host that leads to another one answers: the same path and query there, byte for byte. */
export function redirectToHost(
  { status }: Pick<HostRedirect, 'status'>,
  origin: string,
  method: string,
  target: RequestTarget,
): Reply {
  const isRead = method === 'GET' || method === 'HEAD'
  if (isChallenge(target.path)) {
    return method === 'HEAD' ? withoutBody(notFoundPage) : notFoundPage
  }
  const headers = [
    ...['Location', origin + asPath(target.path + target.query)],
    ...['Content-Length', '0'],
    // Browsers keep a permanent redirect for ever unless told otherwise, and owners change their mind.
    ...['Cache-Control', 'max-age=0, must-revalidate'],
  ]
  // What came with the request stays unread, so the connection cannot be used again.
  if (!isRead) headers.push('Connection', 'close')
  return { status, headers, body: noBody }
}

/**
 * Right behind the origin only a slash ends the host: `@evil.example` or `.evil.example` would be a part of it. No
 * parser lets anything but printable ASCII come this far; should one ever do, it cannot break out of the header.
 */
function asPath(target: string): string {
  const path = target.startsWith('/') ? target : '/'
  return path.replace(/[^!-~]/g, (byte) => `%${Buffer.from(byte, 'latin1').toString('hex').toUpperCase()}`)
}
