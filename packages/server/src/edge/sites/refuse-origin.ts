import { twoHostsPage, wrongSchemePage } from '../assets/pages.ts'
import type { Reply } from '../assets/reply.ts'

/** The answer to a request over HTTP/2 whose scheme or host is not clear (RFC 9113, 8.3.1); null if both are. */
export function refuseOrigin(
  scheme: string | undefined,
  authority: string | undefined,
  host: string | undefined,
): Reply | null {
  if (scheme !== 'https') return wrongSchemePage
  return host === undefined || authority === undefined || isSame(host, authority) ? null : twoHostsPage
}

function isSame(host: string, authority: string): boolean {
  return host === authority || host.toLowerCase() === authority.toLowerCase()
}
