import type { Logger } from 'pino'
import { memoize } from '../kernel/memoize.ts'
import type { HostRedirect } from '../projects/site.ts'
import {
  badRequestPage,
  misdirectedPage,
  notFoundPage,
  unavailablePage,
  unknownDomainPage,
  unknownHostPage,
} from './assets/pages.ts'
import { noBody, type Reply, withoutBody } from './assets/reply.ts'
import { type RequestTarget, readRequestTarget } from './assets/request-path.ts'
import { type RequestHeaders, respond } from './assets/respond.ts'
import { overHttps, Site, withStrictTransport } from './assets/site.ts'
import type { CacheGeneration } from './cache/invalidation.ts'
import { type ChallengeAnswers, isChallenge, isValidationPath } from './sites/acme-challenges.ts'
import {
  classifyHost,
  type HostNames,
  type HostRoute,
  hostnameOf,
  labelOf,
  type PublicHost,
} from './sites/host.ts'
import { redirectToHost } from './sites/host-redirect.ts'
import type { SiteOrRedirect, SiteRouter } from './sites/site-router.ts'

/** A request in either protocol, as far as the walk cares for it. */
export interface EdgeRequest {
  readonly method: string
  readonly target: string
  readonly host: string
  readonly headers: RequestHeaders
  /** The address that it came from, where it is worth asking. */
  from?(): string | undefined
}

export interface RouterParts extends HostNames {
  dashboardUrl: string
  /** Scheme, host and port at which a host is reached from outside, over plain HTTP. */
  originOf: (hostname: string) => string
  /** Left out where there is no HTTPS. */
  https?: { originOf: (hostname: string) => string; redirect: boolean } | undefined
  log: Pick<Logger, 'error'>
}

/** Null: the request is for the dashboard's host, which answers for itself. */
export type RouterAnswer = Reply | null

/**
 * The walk of a request from host to route, from path to asset, to a response as a value. `servername` is the name
 * that the TLS handshake was for, and null over plain HTTP.
 */
export class Router {
  readonly #parts: RouterParts
  readonly #places: SiteRouter
  readonly #challenges: ChallengeAnswers
  readonly #hostOf: (host: string) => Host
  readonly #toDashboard: Reply

  constructor(parts: RouterParts, places: SiteRouter, challenges: ChallengeAnswers) {
    this.#parts = parts
    this.#places = places
    this.#challenges = challenges
    this.#hostOf = memoize(10_000, (host) => ({
      hostname: hostnameOf(host),
      route: classifyHost(host, parts),
    }))
    this.#toDashboard = {
      status: 302,
      headers: ['Location', parts.dashboardUrl, 'Content-Length', '0', 'Cache-Control', 'no-store'],
      body: noBody,
    }
  }

  answer(request: EdgeRequest, servername: string | null): RouterAnswer | Promise<RouterAnswer> {
    const visit = { request, servername, target: readRequestTarget(request.target) }
    const { authority, path } = visit.target
    const host = this.#hostOf(authority ?? request.host)
    if (!isChallenge(path)) return this.#answerAt(host, visit)
    // Ahead of everything: a certificate authority asks under names that lead nowhere yet.
    return this.#challenges
      .answer(path, request.method, request.from?.() ?? '')
      .then((found) => found ?? this.#answerAt(host, visit))
  }

  /** Undefined: not from memory; a promise: ask again once that has settled. */
  fromMemory(request: EdgeRequest, servername: string | null): Reply | undefined | Promise<unknown> {
    const visit = { request, servername, target: readRequestTarget(request.target) }
    const host = this.#hostOf(request.host)
    const { route } = host
    if (!isPublicHost(route) || !matchesServername(host, visit) || isChallenge(visit.target.path))
      return undefined
    const place = this.#places.get(route)
    if (place === undefined) return this.#places.load(route)
    return place === null ? undefined : this.#show(place, route, visit)
  }

  /** How long an answer from memory to this request may be given again without walking again. */
  standing({ host }: EdgeRequest): CacheGeneration | null {
    const { route } = this.#hostOf(host)
    return isPublicHost(route) ? this.#places.standing(route) : null
  }

  #answerAt(host: Host, visit: Visit): RouterAnswer | Promise<RouterAnswer> {
    const { route } = host
    if (!matchesServername(host, visit)) return forMethod(visit, misdirectedPage)
    switch (route.kind) {
      case 'dashboard':
        return this.#atDashboard(host, visit)
      case 'platform':
        return forMethod(visit, this.#toDashboard)
      case 'unknown':
        return forMethod(visit, unknownHostPage(route.hostname))
      case 'invalid':
        return forMethod(visit, badRequestPage)
      default: {
        const place = this.#places.get(route)
        if (place !== undefined) return this.#tryToShow(place, route, visit)
        return this.#places.load(route).then(
          (loaded) => this.#tryToShow(loaded, route, visit),
          (error: unknown) => this.#unavailable(visit, error),
        )
      }
    }
  }

  #atDashboard({ hostname }: Host, { request, target, servername }: Visit): RouterAnswer {
    const { https, dashboardHost } = this.#parts
    // Asked by an address it stays where it is: no certificate is for an address.
    if (servername !== null || https?.redirect !== true || hostname !== dashboardHost) return null
    return redirectToHost({ status: 308 }, https.originOf(dashboardHost), request.method, target)
  }

  #tryToShow(place: SiteOrRedirect | null, host: PublicHost, visit: Visit): Reply {
    if (place === null) return forMethod(visit, this.#nobodyAt(host))
    try {
      return this.#show(place, host, visit)
    } catch (error) {
      return this.#unavailable(visit, error)
    }
  }

  #show(place: SiteOrRedirect, host: PublicHost, visit: Visit): Reply {
    const { request, target, servername } = visit
    const { method, headers } = request
    // Ahead of redirects, which a certificate authority would follow to a domain of the tenant's.
    if (host.kind !== 'domain' && isValidationPath(target.path)) return forMethod(visit, notFoundPage)
    if (!(place instanceof Site)) {
      const reply = redirectToHost(place, this.#originOf(place, visit), method, target)
      return servername === null ? reply : withStrictTransport(reply, place)
    }
    if (servername !== null) return overHttps(respond(place, method, target, headers), place)
    const { https } = this.#parts
    if (https?.redirect === true && this.#places.hasCertificate(host) && !isChallenge(target.path)) {
      return redirectToHost({ status: 308 }, https.originOf(this.#nameOf(host)), method, target)
    }
    return respond(place, method, target, headers)
  }

  /** Never from HTTPS back to HTTP where that can be helped, and ahead to HTTPS where everything leads there. */
  #originOf({ to, https: hasCertificate = true }: HostRedirect, { servername }: Visit): string {
    const { https, originOf } = this.#parts
    const isSecure = https !== undefined && hasCertificate && (servername !== null || https.redirect)
    return isSecure ? https.originOf(to) : originOf(to)
  }

  #nobodyAt(host: PublicHost): Reply {
    return host.kind === 'domain' ? unknownDomainPage(host.hostname) : unknownHostPage(this.#nameOf(host))
  }

  #nameOf(host: PublicHost): string {
    return host.kind === 'domain' ? host.hostname : `${labelOf(host)}.${this.#parts.platformDomain}`
  }

  #unavailable(visit: Visit, error: unknown): Reply {
    const { host, target } = visit.request
    this.#parts.log.error({ err: error, host, url: target }, 'a site could not be shown')
    return forMethod(visit, unavailablePage)
  }
}

/** A request on its way. */
interface Visit {
  readonly request: EdgeRequest
  readonly target: RequestTarget
  readonly servername: string | null
}

interface Host {
  readonly hostname: string | null
  readonly route: HostRoute
}

export function isPublicHost(route: HostRoute): route is PublicHost {
  return route.kind === 'project' || route.kind === 'preview' || route.kind === 'domain'
}

/** A connection is for one name: who shows a certificate for it has said nothing about others (RFC 9110, 7.4). */
function matchesServername({ hostname }: Host, { servername }: Visit): boolean {
  return servername === null || hostname === servername
}

function forMethod({ request }: Visit, page: Reply): Reply {
  return request.method === 'HEAD' ? withoutBody(page) : page
}
