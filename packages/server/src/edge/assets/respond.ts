import type { Asset, AssetForm } from './asset.ts'
import {
  decideRange,
  hasChangedSince,
  matchesIfMatch,
  matchesIfNoneMatch,
  matchesIfRange,
} from './conditional-requests.ts'
import { isNavigation, type NavigationHeaders, navigationHeaders, negotiate } from './negotiate.ts'
import { methodNotAllowedPage, notFoundPage, nothingPublishedPage } from './pages.ts'
import { noBody, type Reply, withoutBody } from './reply.ts'
import type { RequestTarget } from './request-path.ts'
import { resolveAsset } from './resolve-asset.ts'
import type { Site } from './site.ts'

export interface RequestHeaders extends NavigationHeaders {
  'accept-encoding'?: string | undefined
  'if-match'?: string | undefined
  'if-modified-since'?: string | undefined
  'if-none-match'?: string | undefined
  'if-range'?: string | string[] | undefined
  'if-unmodified-since'?: string | undefined
  range?: string | undefined
}

/** A request of either protocol. */
export interface EdgeRequest {
  readonly method: string
  readonly target: string
  readonly host: string
  readonly headers: RequestHeaders
  /** The client's address. A function, because most requests never need it. */
  from?(): string | undefined
}

/** What a site answers to a request, as a value. */
export function respond(site: Site, method: string, target: RequestTarget, headers: RequestHeaders): Reply {
  if (method === 'GET') return answer(site, target, headers)
  // Range is only defined for GET (RFC 9110, 14.2).
  if (method === 'HEAD') return withoutBody(answer(site, target, { ...headers, range: undefined }))
  return methodNotAllowedPage
}

function answer(site: Site, target: RequestTarget, headers: RequestHeaders): Reply {
  if (site.blockedPage !== null) return site.blockedPage
  if (site.record.deploymentId === null) return nothingPublishedPage(site.record.slug)
  const decision = resolveAsset(site.manifest, site.record, target.path, isNavigation(headers))
  const varies = decision.varies === true
  switch (decision.kind) {
    case 'file': {
      const asset = site.asset(decision.path)
      return answerFile(varies ? asset.varying(decision.canonical) : asset, headers)
    }
    case 'redirect':
      return redirect(decision.location + target.query, site.isPreview, varies)
    case 'not-found': {
      if (decision.page === null) return notFoundPage
      const asset = site.asset(decision.page)
      const page = varies ? asset.varying() : asset
      return page.notFound(negotiate(headers['accept-encoding'], page.file.encoded))
    }
  }
}

/** In the order of RFC 9110, 13.2.2: preconditions, what the client already has, the range it wants, the whole file. */
function answerFile(asset: Asset, headers: RequestHeaders): Reply {
  const range = headers.range === undefined ? null : decideRange(headers.range, asset.file.size)
  if (range !== null && range.kind !== 'whole') {
    const plain = asset.form('identity')
    const conditional = conditionalReply(asset, plain, headers)
    if (conditional !== null) return conditional
    if (matchesIfRange(rangeCondition(headers), plain.etag)) {
      return range.kind === 'part' ? asset.part(range.range) : asset.unsatisfiable()
    }
  }
  const form = asset.form(negotiate(headers['accept-encoding'], asset.file.encoded))
  return conditionalReply(asset, form, headers) ?? form.ok
}

/** 412 or 304 if a condition of the request calls for it. */
function conditionalReply(asset: Asset, form: AssetForm, headers: RequestHeaders): Reply | null {
  const { 'if-match': match, 'if-unmodified-since': unmodifiedSince } = headers
  const { 'if-none-match': noneMatch, 'if-modified-since': modifiedSince } = headers
  const { lastModified } = asset
  if (match !== undefined) {
    if (!matchesIfMatch(match, form.etag)) return asset.preconditionFailed()
  } else if (unmodifiedSince !== undefined && lastModified !== null) {
    if (hasChangedSince(unmodifiedSince, lastModified)) return asset.preconditionFailed()
  }
  if (noneMatch !== undefined) return matchesIfNoneMatch(noneMatch, form.etag) ? form.notModified : null
  // Only the exact date counts, since a rollback brings back an older one.
  return modifiedSince !== undefined && modifiedSince === lastModified ? form.notModified : null
}

/** With a range, a date in If-Unmodified-Since is as unreliable as in If-Range. */
function rangeCondition(headers: RequestHeaders): string | string[] | undefined {
  return (
    headers['if-range'] ?? (headers['if-match'] === undefined ? headers['if-unmodified-since'] : undefined)
  )
}

function redirect(location: string, isPreview: boolean, varies: boolean): Reply {
  const headers = [
    'Location',
    location,
    'Content-Length',
    '0',
    'Cache-Control',
    'public, max-age=0, must-revalidate',
  ]
  if (varies) headers.push('Vary', navigationHeaders)
  if (isPreview) headers.push('X-Robots-Tag', 'noindex')
  return { status: 307, headers, body: noBody }
}
