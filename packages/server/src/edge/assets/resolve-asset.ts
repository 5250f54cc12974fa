import { findByPath, type Paths } from '@masthead/contract/site-paths/html-handling.ts'
import {
  decodeRoutePath,
  decodeSitePath,
  encodeSitePath,
  readingsOf,
} from '@masthead/contract/site-paths/site-path.ts'
import { isWebFile } from '@masthead/contract/site-paths/web-files.ts'
import type { SiteSettings } from '@masthead/contract/site-rules/rules.ts'

export type AssetSettings = Pick<SiteSettings, 'htmlHandling' | 'singlePage'> & Partial<SiteSettings>

export type AssetDecision =
  /** `canonical` is the path it is shown at, if that is another one. Percent-encoded like `location`. */
  (
    | { kind: 'file'; path: string; canonical?: string }
    /** With 307. Percent-encoded, starts with exactly one slash, has no query. */
    | { kind: 'redirect'; location: string }
    | { kind: 'not-found'; page: string | null }
  ) & {
    /** Set if the decision depends on `isNavigation`. */
    varies?: true
  }

/**
 * Decides which file answers a path. Other spellings than the canonical path of a page redirect there.
 *
 * Only navigations are redirected from a file's own name: a service worker that precaches `/index.html` must not store a
 * redirect, which browsers reject as the answer to a navigation.
 */
export function resolveAsset(
  paths: Paths,
  settings: AssetSettings,
  rawPath: string,
  isNavigation: boolean,
): AssetDecision {
  return (
    findAsset(paths, settings, rawPath, isNavigation) ??
    resolveMissing(paths, settings, rawPath, isNavigation)
  )
}

/** The first half: a file, or a redirect to it. Null if there is none under any spelling of the path. */
export function findAsset(
  paths: Paths,
  settings: AssetSettings,
  rawPath: string,
  isNavigation: boolean,
): AssetDecision | null {
  const path = decodeSitePath(rawPath)
  if (path === null) return null
  const found = findByPath(paths, settings.htmlHandling, path)
  if (found === null) return null
  const { file, canonical, isOwnName } = found
  if (canonical !== null && !isOwnName) return redirectTo(canonical)
  if (canonical !== null && isNavigation) return { ...redirectTo(canonical), varies: true }
  // `//about` would break relative links.
  if (rawPath.includes('//')) return redirectTo(path)
  return canonical === null
    ? { kind: 'file', path: file }
    : { kind: 'file', path: file, canonical: encodeSitePath(canonical), varies: true }
}

/** The second half, for a path without a file: the page of a single-page app, or a page that says so. */
export function resolveMissing(
  paths: Paths,
  settings: AssetSettings,
  rawPath: string,
  isNavigation: boolean,
): AssetDecision {
  const path = decodeRoutePath(rawPath)
  if (path === null) return { kind: 'not-found', page: missingPage(paths, settings, '/') }
  return unmatched(paths, settings, path, isNavigation)
}

function redirectTo(path: string): AssetDecision {
  return { kind: 'redirect', location: encodeSitePath(path) }
}

function unmatched(
  paths: Paths,
  settings: AssetSettings,
  path: string,
  isNavigation: boolean,
): AssetDecision {
  const page = missingPage(paths, settings, path)
  if (!settings.singlePage || !paths.has('/index.html') || !mayBeView(path))
    return { kind: 'not-found', page }
  return isNavigation
    ? { kind: 'file', path: '/index.html', varies: true }
    : { kind: 'not-found', page, varies: true }
}

/** Whether a path may be a view of a single-page app, and not a missing script or `robots.txt`. */
function mayBeView(path: string): boolean {
  return !isWebFile(path) && !readingsOf(path).some((reading) => reading.startsWith('/.well-known/'))
}

/** Published paths are shorter. The bound keeps long requests from searching thousands of folders. */
const longestFolder = 1024

function missingPage(paths: Paths, { notFound = null }: AssetSettings, path: string): string | null {
  return notFound !== null && paths.has(notFound) ? notFound : nearestPage(paths, path)
}

function nearestPage(paths: Paths, path: string): string | null {
  let end = path.lastIndexOf('/', longestFolder)
  while (end >= 0) {
    const page = `${path.slice(0, end)}/404.html`
    if (paths.has(page)) return page
    end = end === 0 ? -1 : path.lastIndexOf('/', end - 1)
  }
  return null
}
