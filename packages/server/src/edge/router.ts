import { MatchBudgetError } from '@masthead/contract/site-rules/matching/match-budget.ts'
import type { Logger } from 'pino'
import { memoize } from '../kernel/cache/memoize.ts'
import { challengePath } from '../kernel/challenge-path.ts'
import { isRouteToken, type RouteAnswers } from '../outgoing/route-token.ts'
import type { HostRedirect } from '../projects/site.ts'
import {
  addressTooLongPage,
  badRequestPage,
  misdirectedPage,
  notFoundPage,
  unavailablePage,
  unknownDomainPage,
  unknownHostPage,
} from './assets/pages.ts'
import { noBody, type Reply, withoutBody } from './assets/reply.ts'
import { isValidationPath, type RequestTarget, readRequestTarget } from './assets/request-path.ts'
import { type EdgeRequest, respond } from './assets/respond.ts'
import { overHttps, overPlainHttp, Site, withStrictTransport } from './assets/site.ts'
import { type ChallengeAnswers, plainReply } from './sites/acme-challenges.ts'
import {
  classifyHost,
  type HostNames,
  type HostRoute,
  hostnameOf,
  labelOf,
  type PublicHost,
} from './sites/host.ts'
import { redirectToHost } from './sites/host-redirect.ts'
import { ProtectedSites, type ProtectionParts } from './sites/protected-sites.ts'
import type { SiteOrRedirect, SiteRouter } from './sites/site-router.ts'

export interface RouterParts extends HostNames {
  dashboardUrl: string
  /** The public origin of a host over plain HTTP. */
  originOf: (hostname: string) => string
  /** Omitted if there is no HTTPS. */
  https?: { originOf: (hostname: string) => string; redirect: boolean } | undefined
  protection: Omit<ProtectionParts, 'dashboardOrigin'>
  /** Omitted if no domain can be behind a proxy. */
  routeAnswers?: RouteAnswers | undefined
  log: Pick<Logger, 'error'>
}

/** Null if the request is for the dashboard and the API. */
export type RouterAnswer = Reply | null

/** From host to site, from path to asset, to a reply as a value. `servername` (SNI) is null over plain HTTP. */
export class Router {
  readonly #parts: RouterParts
  readonly #sites: SiteRouter
  readonly #challenges: ChallengeAnswers
  readonly #protected: ProtectedSites
  readonly #hostOf: (host: string) => Host
  readonly #toDashboard: Reply
  readonly #toSecureDashboard: Reply

  constructor(parts: RouterParts, sites: SiteRouter, challenges: ChallengeAnswers) {
    this.#parts = parts
    this.#sites = sites
    this.#challenges = challenges
    const { https, dashboardHost, dashboardUrl } = parts
    this.#protected = new ProtectedSites({
      ...parts.protection,
      dashboardOrigin: (isSecure) =>
        isSecure && https !== undefined ? https.originOf(dashboardHost) : dashboardUrl.replace(/\/$/, ''),
    })
    this.#hostOf = memoize(10_000, (host) => ({
      hostname: hostnameOf(host),
      route: classifyHost(host, parts),
    }))
    this.#toDashboard = temporaryRedirect(parts.dashboardUrl)
    this.#toSecureDashboard =
      https === undefined ? this.#toDashboard : temporaryRedirect(`${https.originOf(dashboardHost)}/`)
  }

  answer(request: EdgeRequest, servername: string | null): RouterAnswer | Promise<RouterAnswer> {
    const target = readRequestTarget(request.target)
    const { authority, path, isChallenge } = target
    const host = this.#hostOf(authority ?? request.host)
    const isSecure = servername !== null || request.isForwardedSecurely === true
    const visit = { request, servername, isSecure, target, hostname: host.hostname ?? '' }
    if (!isChallenge) return this.#answerAt(host, visit)
    const token = path.slice(challengePath.length)
    if (isRouteToken(token)) return this.#answerRoute(token, visit)
    // Before routing: a certificate authority asks for names that lead nowhere yet.
    return this.#challenges
      .answer(path, request.method, request.from?.() ?? '')
      .then((found) => found ?? this.#answerAt(host, visit))
  }

  /** For our own requests through proxies: it says that a request arrived here, and how. */
  #answerRoute(token: string, visit: Visit): Reply {
    const { request, servername, hostname } = visit
    const { routeAnswers } = this.#parts
    if (routeAnswers === undefined) return forMethod(visit, notFoundPage)
    const from = request.from?.() ?? ''
    const text = routeAnswers.sign({ token, host: hostname, secure: servername !== null, from })
    return forMethod(visit, plainReply(text))
  }

  #answerAt(host: Host, visit: Visit): RouterAnswer | Promise<RouterAnswer> {
    const { route } = host
    if (!matchesServername(host, visit)) return forMethod(visit, misdirectedPage)
    switch (route.kind) {
      case 'dashboard':
        return this.#atDashboard(host, visit)
      case 'platform':
        return forMethod(visit, visit.isSecure ? this.#toSecureDashboard : this.#toDashboard)
      case 'unknown':
        return forMethod(visit, unknownHostPage(route.hostname))
      case 'invalid':
        return forMethod(visit, badRequestPage)
      default: {
        const found = this.#sites.get(route)
        if (found !== undefined) return this.#respondOrExplain(found, route, visit)
        return this.#sites.load(route, visit.request.from?.() ?? '').then(
          (loaded) => this.#respondOrExplain(loaded, route, visit),
          (error: unknown) => this.#unavailable(visit, error),
        )
      }
    }
  }

  #atDashboard({ hostname }: Host, { request, target, isSecure }: Visit): RouterAnswer {
    const { https, dashboardHost } = this.#parts
    // A request for an address is not redirected: there is no certificate for an address.
    if (isSecure || https?.redirect !== true || hostname !== dashboardHost) return null
    return redirectToHost({ status: 308 }, https.originOf(dashboardHost), request.method, target)
  }

  #respondOrExplain(found: SiteOrRedirect | null, host: PublicHost, visit: Visit): Reply | Promise<Reply> {
    if (found === null) return forMethod(visit, this.#unknownPage(host))
    try {
      return this.#respond(found, host, visit)
    } catch (error) {
      return this.#unavailable(visit, error)
    }
  }

  #respond(found: SiteOrRedirect, host: PublicHost, visit: Visit): Reply | Promise<Reply> {
    const { request, target, isSecure } = visit
    const { method } = request
    // Before redirects, which a certificate authority would follow to the tenant's domain.
    if (host.kind !== 'domain' && isValidationPath(target.path)) return forMethod(visit, notFoundPage)
    if (!(found instanceof Site)) {
      const reply = redirectToHost(found, this.#originOf(found, visit), method, target)
      return isSecure ? withStrictTransport(reply, found) : reply
    }
    if (isSecure) return this.#answerOf(found, host, visit, overHttps)
    const { https } = this.#parts
    if (https?.redirect === true && this.#sites.hasCertificate(host) && !target.isChallenge) {
      return redirectToHost({ status: 308 }, https.originOf(this.#nameOf(host)), method, target)
    }
    return this.#answerOf(found, host, visit, overPlainHttp)
  }

  #answerOf(
    site: Site,
    host: PublicHost,
    whole: Visit,
    over: (reply: Reply, site: Site) => Reply,
  ): Reply | Promise<Reply> {
    const { gate } = site
    const { request, target, hostname, isSecure } = whole
    if (gate === null) return over(respond(site, request.method, target, request.headers, hostname), site)
    const visit = {
      ...{ site, gate, request, target, hostname, isSecure },
      pointsHere: this.#sites.pointsHere(host),
      from: () => request.from?.(this.#sites.proxyOf(host)) ?? '',
    }
    const answer =
      this.#protected.answerOwnPath(visit) ??
      this.#protected.guard(visit, respond(site, request.method, target, request.headers, hostname))
    if (!(answer instanceof Promise)) return over(answer, site)
    return answer.then(
      (reply) => over(reply, site),
      (error: unknown) => this.#unavailable(whole, error),
    )
  }

  /** Stays on HTTPS where possible, and upgrades to it if plain HTTP redirects anyway. */
  #originOf({ to, https: hasCertificate = true }: HostRedirect, { isSecure }: Visit): string {
    const { https, originOf } = this.#parts
    const usesHttps = https !== undefined && hasCertificate && (isSecure || https.redirect)
    return usesHttps ? https.originOf(to) : originOf(to)
  }

  #unknownPage(host: PublicHost): Reply {
    return host.kind === 'domain' ? unknownDomainPage(host.hostname) : unknownHostPage(this.#nameOf(host))
  }

  #nameOf(host: PublicHost): string {
    return host.kind === 'domain' ? host.hostname : `${labelOf(host)}.${this.#parts.platformDomain}`
  }

  #unavailable(visit: Visit, error: unknown): Reply {
    if (error instanceof MatchBudgetError) return forMethod(visit, addressTooLongPage)
    const { host, target } = visit.request
    // A query may have a ticket.
    this.#parts.log.error({ err: error, host, path: target.replace(/\?.*$/s, '') }, 'could not serve a site')
    return forMethod(visit, unavailablePage)
  }
}

interface Visit {
  readonly request: EdgeRequest
  readonly target: RequestTarget
  readonly servername: string | null
  /** Whether the visitor uses HTTPS, to us or to a proxy. */
  readonly isSecure: boolean
  readonly hostname: string
}

interface Host {
  readonly hostname: string | null
  readonly route: HostRoute
}

export function isPublicHost(route: HostRoute): route is PublicHost {
  return route.kind === 'project' || route.kind === 'preview' || route.kind === 'domain'
}

/** A TLS connection is for one name, because its certificate says nothing about others (RFC 9110, 7.4). */
function matchesServername({ hostname }: Host, { servername }: Visit): boolean {
  return servername === null || hostname === servername
}

function temporaryRedirect(to: string): Reply {
  const headers = ['Location', to, 'Content-Length', '0', 'Cache-Control', 'no-store']
  return { status: 302, headers, body: noBody }
}

function forMethod({ request }: Visit, page: Reply): Reply {
  return request.method === 'HEAD' ? withoutBody(page) : page
}
