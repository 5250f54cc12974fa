import type { IncomingHttpHeaders } from 'node:http'
import { plainAddress } from '../../limits/caller-address.ts'

/** Letters, digits and `-._~` mean the same whether they are percent-encoded or not (RFC 3986, 2.3). */
const encodedUnreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi

/** A path at which there is nothing. */
const unroutableTarget = '//'

/**
 * The one spelling of a request target that routes, limits and logs go by: origin form, nothing percent-encoded that
 * need not be. A target that is neither a path nor a URL leads nowhere.
 */
export function canonicalTarget(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '')
  if (rest === target && !target.startsWith('/')) return unroutableTarget
  const path = rest.startsWith('/') ? rest : `/${rest}`
  if (!path.includes('%')) return path
  const end = path.search(/[?#]/)
  return end === -1 ? decoded(path) : decoded(path.slice(0, end)) + path.slice(end)
}

/** The path of a canonical target. */
export function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? ''
}

/** One that is malformed stays as it is, for the router to refuse: half decoded it could read as another. */
function decoded(path: string): string {
  if (/%(?![\da-f]{2})/i.test(path)) return path
  return path.replace(encodedUnreserved, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}

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
