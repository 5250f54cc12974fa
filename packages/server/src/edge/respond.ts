import type { Asset } from './asset.ts'
import { ifRangeHolds, noneMatchNames } from './conditional.ts'
import { negotiate } from './negotiate.ts'
import { methodNotAllowedPage, notFoundPage, nothingPublishedPage } from './pages.ts'
import { decideRange } from './range.ts'
import type { RequestTarget } from './request-target.ts'
import { resolveAsset } from './resolve-asset.ts'
import { noBody, type Reply, withoutBody } from './response.ts'
import type { Site } from './site.ts'

export interface RequestHeaders {
  'accept-encoding'?: string | undefined
  'if-none-match'?: string | undefined
  'if-range'?: string | string[] | undefined
  range?: string | undefined
}

/** What a site answers to a request, as a value. */
export function respond(site: Site, method: string, target: RequestTarget, headers: RequestHeaders): Reply {
  if (method === 'GET') return answer(site, target, headers)
  if (method === 'HEAD') return withoutBody(answer(site, target, headers))
  return methodNotAllowedPage
}

function answer(site: Site, target: RequestTarget, headers: RequestHeaders): Reply {
  if (site.record.deploymentId === null) return nothingPublishedPage(site.record.slug)
  const decision = resolveAsset(site.manifest, site.record, target.path)
  switch (decision.kind) {
    case 'file':
      return answerFile(site.asset(decision.path), headers)
    case 'redirect':
      return redirect(decision.location + target.query, site.isPreview)
    case 'not-found': {
      if (decision.page === null) return notFoundPage
      const page = site.asset(decision.page)
      return page.notFound(negotiate(headers['accept-encoding'], page.file.encoded))
    }
  }
}

/** In the order of RFC 9110, 13.2.2: what the client has already, then the part it wants, then the whole. */
function answerFile(asset: Asset, headers: RequestHeaders): Reply {
  const noneMatch = headers['if-none-match']
  const range = headers.range === undefined ? null : decideRange(headers.range, asset.file.size)
  if (range !== null && range.kind !== 'whole') {
    const plain = asset.form('identity')
    if (noneMatch !== undefined && noneMatchNames(noneMatch, plain.etag)) return plain.notModified
    if (ifRangeHolds(headers['if-range'], plain.etag)) {
      return range.kind === 'part' ? asset.part(range.range) : asset.unsatisfiable()
    }
  }
  const form = asset.form(negotiate(headers['accept-encoding'], asset.file.encoded))
  return noneMatch !== undefined && noneMatchNames(noneMatch, form.etag) ? form.notModified : form.ok
}

function redirect(location: string, isPreview: boolean): Reply {
  const headers = [
    'Location',
    location,
    'Content-Length',
    '0',
    'Cache-Control',
    'public, max-age=0, must-revalidate',
  ]
  if (isPreview) headers.push('X-Robots-Tag', 'noindex')
  return { status: 307, headers, body: noBody }
}
