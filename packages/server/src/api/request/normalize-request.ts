import type { IncomingHttpHeaders } from 'node:http'
import { forwardedHops } from '../../limits/caller-address.ts'

/** Letters, digits and `-._~` mean the same whether they are percent-encoded or not (RFC 3986, 2.3). */
const encodedUnreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi

/** A path without a route. */
const unroutableTarget = '//'

/**
 * The canonical request target for routing, limits and logs: origin form, with nothing percent-encoded needlessly. A
 * target that is neither a path nor a URL becomes unroutable.
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

/** Leaves a malformed path for the router to refuse: half decoded, it could match another route. */
function decoded(path: string): string {
  if (/%(?![\da-f]{2})/i.test(path)) return path
  return path.replace(encodedUnreserved, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}

/**
 * Rewrites X-Forwarded-For so that every client address has one spelling. Removes X-Forwarded-Host, which proxies pass
 * on unchecked.
 */
export function cleanForwardedHeaders(headers: IncomingHttpHeaders): void {
  delete headers['x-forwarded-host']
  const forwarded = headers['x-forwarded-for']
  if (forwarded === undefined) return
  const addresses = forwardedHops(String(forwarded))
  if (addresses.length > 0) headers['x-forwarded-for'] = addresses.join(', ')
  else delete headers['x-forwarded-for']
}
