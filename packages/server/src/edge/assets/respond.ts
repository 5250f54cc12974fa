import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import { noRules } from '@masthead/contract/site-rules/index-rules.ts'
import { answerByRules, answerResolved, type Trace } from './answer-by-rules.ts'
import { answerFile, answerMissing, type RequestHeaders, redirect } from './answer-file.ts'
import { isNavigation, navigationHeaders } from './negotiate.ts'
import { methodNotAllowedPage, notFoundPage, nothingPublishedPage } from './pages.ts'
import { type Reply, withoutBody } from './reply.ts'
import type { RequestTarget } from './request-path.ts'
import { resolveAsset } from './resolve-asset.ts'
import type { Site } from './site.ts'

/** A request of either protocol. */
export interface EdgeRequest {
  readonly method: string
  readonly target: string
  readonly host: string
  readonly headers: RequestHeaders
  /**
   * The visitor's address, at a domain that is marked as behind this CDN. A function, because most requests never need
   * it.
   */
  from?(marked?: ProxyProvider | null): string | undefined
  /** Whether the visitor reached a trusted proxy over HTTPS, however the proxy reached us. */
  readonly isForwardedSecurely?: boolean
}

/** What a site answers to a request, as a value. */
export function respond(
  site: Site,
  method: string,
  target: RequestTarget,
  headers: RequestHeaders,
  hostname: string,
  trace?: Trace,
): Reply {
  if (method === 'GET') return answer(site, target, headers, hostname, trace)
  // Range is only defined for GET (RFC 9110, 14.2).
  if (method === 'HEAD') return withoutBody(answer(site, target, { ...headers, range: undefined }, hostname))
  return methodNotAllowedPage
}

function answer(
  site: Site,
  target: RequestTarget,
  headers: RequestHeaders,
  hostname: string,
  trace?: Trace,
): Reply {
  if (site.blockedPage !== null) return site.blockedPage
  if (site.record.deploymentId === null) return nothingPublishedPage(site.record)
  const navigates = isNavigation(headers)
  const known = trace === undefined && site.kept.resolvedAssets(navigates).get(target.path)
  if (known) return answerFile(known, headers)
  const visit = { site, target, headers, hostname, trace }
  if (site.rules !== null || trace !== undefined) return answerByRules(visit, site.rules ?? noRules)
  const decision = resolveAsset(site.manifest, site.settings, target.path, navigates)
  const varies = decision.varies === true
  switch (decision.kind) {
    case 'file':
      return answerResolved(visit, decision)
    case 'redirect':
      return redirect(
        decision.location + target.query,
        site.isPreview,
        varies ? navigationHeaders : null,
        307,
      )
    case 'not-found': {
      if (decision.page === null) return notFoundPage
      const asset = site.asset(decision.page, hostname)
      return answerMissing(varies ? asset.varying() : asset, headers)
    }
  }
}
