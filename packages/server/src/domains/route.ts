import type { ProxyProvider, RouteOutcome } from '@masthead/contract/domains/proxy-providers.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Cdns } from '../config/cdns.ts'

/** How one of our own requests through the proxy of a domain ended. */
export interface RouteAttempt {
  outcome: RouteOutcome
  /** Of the last answer; null if there was none. */
  status: number | null
  /** What we saw instead of what we expected, to show. */
  detail: string | null
  /** How the request arrived here; null if it did not. */
  arrival: { id: string; secure: boolean; from: string } | null
}

/** What our requests to the public addresses of a domain found. */
export interface RouteObservation {
  http: RouteAttempt
  https: RouteAttempt
  /** Whether an answer came from a cache although it forbids that. */
  cached: boolean
}

/** Sends our requests, within bounds for each account. */
export interface Routes {
  cdns: Cdns
  /** Whether plain HTTP leads to HTTPS once a domain has a certificate. */
  redirectsToHttps: boolean
  observe(
    domain: { hostname: string; provider: ProxyProvider; account: Id<'account'> },
    signal?: AbortSignal,
  ): Promise<RouteObservation>
}

/** Whether visitors arrive here, by either protocol: a proxy may redirect one to the other, or not offer it. */
export function hasArrived({ http, https }: RouteObservation): boolean {
  return http.outcome === 'arrived' || https.outcome === 'arrived'
}

/** Whether the proxy encrypts what its visitors encrypted; null if HTTPS does not arrive at all. */
export function isEncrypted({ https }: RouteObservation): boolean | null {
  return https.arrival?.secure ?? null
}

/** Whether we believe what the proxy says about visitors. */
export function knowsVisitors(
  { http, https }: RouteObservation,
  provider: ProxyProvider,
  cdns: Pick<Cdns, 'of'>,
): boolean | null {
  const from = (https.arrival ?? http.arrival)?.from
  return from === undefined ? null : cdns.of(from) === provider
}

type RouteView = NonNullable<NonNullable<Domain['proxied']>['route']>

/** What of it is stored with a check, and shown. */
export function toRouteView(
  route: RouteObservation,
  provider: ProxyProvider,
  cdns: Pick<Cdns, 'of'>,
): RouteView {
  const visitors = knowsVisitors(route, provider, cdns)
  return {
    http: route.http.outcome,
    https: route.https.outcome,
    encrypted: isEncrypted(route),
    cached: route.cached,
    visitors: visitors === null ? null : visitors ? 'known' : 'unknown',
  }
}
