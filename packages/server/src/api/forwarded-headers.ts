import type { IncomingHttpHeaders } from 'node:http'
import { plainAddress } from '../limits/caller-address.ts'

/** More proxies in a row than anybody has. What lies beyond was written by the client. */
const mostHops = 20

/**
 * Rewrites what proxies say of a client so that one client has one spelling, whichever ports, brackets or zones come
 * with its address. What is no address ends the list: then the proxy that said so counts as the caller. The host is
 * never taken from a header that proxies pass on unread.
 */
export function cleanForwardedHeaders(headers: IncomingHttpHeaders): void {
  delete headers['x-forwarded-host']
  const said = headers['x-forwarded-for']
  if (said === undefined) return
  const addresses: string[] = []
  const hops = String(said).split(',').slice(-mostHops)
  for (const hop of hops.reverse()) {
    const address = plainAddress(hop.trim())
    if (address === null) break
    addresses.unshift(address)
  }
  if (addresses.length > 0) headers['x-forwarded-for'] = addresses.join(', ')
  else delete headers['x-forwarded-for']
}
