import type { Asset, AssetForm } from './asset.ts'
import {
  decideRange,
  hasChangedSince,
  matchesIfMatch,
  matchesIfNoneMatch,
  matchesIfRange,
} from './conditional-requests.ts'
import { type NavigationHeaders, negotiate } from './negotiate.ts'
import { noBody, type Reply } from './reply.ts'

export interface RequestHeaders extends NavigationHeaders {
  'accept-encoding'?: string | undefined
  'accept-language'?: string | undefined
  'if-match'?: string | undefined
  'if-modified-since'?: string | undefined
  'if-none-match'?: string | undefined
  'if-range'?: string | string[] | undefined
  'if-unmodified-since'?: string | undefined
  range?: string | undefined
  /** No field: where the visitor is, as a trusted proxy says. Only rules with conditions look at it. */
  country?: string | undefined
  /** Only protected sites look at these. */
  authorization?: string | undefined
  cookie?: string | undefined
}

/** In the order of RFC 9110, 13.2.2: preconditions, what the client already has, the range it wants, the whole file. */
export function answerFile(asset: Asset, headers: RequestHeaders): Reply {
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
  if (noneMatch !== undefined)
    return matchesIfNoneMatch(noneMatch, form.etag) ? asset.notModified(form) : null
  // Only the exact date counts, since a rollback brings back an older one.
  return modifiedSince !== undefined && modifiedSince === lastModified ? asset.notModified(form) : null
}

/** With a range, a date in If-Unmodified-Since is as unreliable as in If-Range. */
function rangeCondition(headers: RequestHeaders): string | string[] | undefined {
  return (
    headers['if-range'] ?? (headers['if-match'] === undefined ? headers['if-unmodified-since'] : undefined)
  )
}

/** The file as the page for a missing path. */
export function answerMissing(page: Asset, headers: RequestHeaders): Reply {
  return page.notFound(negotiate(headers['accept-encoding'], page.file.encoded))
}

export function redirect(location: string, isPreview: boolean, vary: string | null, status: number): Reply {
  const headers = [
    'Location',
    location,
    'Content-Length',
    '0',
    'Cache-Control',
    'public, max-age=0, must-revalidate',
  ]
  if (vary !== null) headers.push('Vary', vary)
  if (isPreview) headers.push('X-Robots-Tag', 'noindex')
  return { status, headers, body: noBody }
}
