import type { HtmlHandling } from '@masthead/contract/project-settings.ts'
import { isWebFile } from '@masthead/contract/site-paths/web-files.ts'
import type { SiteSettings } from '@masthead/contract/site-rules/rules.ts'
import { decodeSitePath, encodeSitePath } from './request-path.ts'

export type AssetSettings = Pick<SiteSettings, 'htmlHandling' | 'singlePage'> & Partial<SiteSettings>

export interface Paths {
  has(path: string): boolean
}

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
 * Decides which file answers a path. Every HTML file has one canonical path:
 *
 *     file              auto     drop-trailing-slash   force-trailing-slash
 *     /docs/index.html  /docs/   /docs                 /docs/
 *     /about.html       /about   /about                /about/
 *
 * Other spellings redirect there. A file whose canonical path is taken keeps its own name: an exact file comes first, then
 * `docs.html` (dropping) or `docs/index.html` (forcing). With `none` there are only exact paths and directory indexes.
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
  const found =
    settings.htmlHandling === 'none'
      ? exactOrIndex(paths, path)
      : find(paths, settings.htmlHandling, path, isNavigation)
  // `//about` would break relative links.
  if (found?.kind === 'file' && rawPath.includes('//')) return redirectTo(path)
  return found
}

/** The second half, for a path without a file: the page of a single-page app, or a page that says so. */
export function resolveMissing(
  paths: Paths,
  settings: AssetSettings,
  rawPath: string,
  isNavigation: boolean,
): AssetDecision {
  const path = decodeSitePath(rawPath)
  if (path === null) return { kind: 'not-found', page: missingPage(paths, settings, '/') }
  return unmatched(paths, settings, path, isNavigation)
}

/** The file that a rule means by a path, without redirects; null if there is none. */
export function findFile(paths: Paths, path: string): string | null {
  return [path, ...candidateFiles(path)].find((file) => paths.has(file)) ?? null
}

/** The path that shows a file, decoded: `/docs/` for `/docs/index.html`. */
export function shownPathOf({ htmlHandling }: AssetSettings, file: string): string {
  if (htmlHandling !== 'none') return canonicalPathOf(htmlHandling, file)
  return file.endsWith('/index.html') ? file.slice(0, -'index.html'.length) : file
}

type Mode = Exclude<HtmlHandling, 'none'>

function find(paths: Paths, mode: Mode, path: string, isNavigation: boolean): AssetDecision | null {
  if (paths.has(path)) {
    const canonical = canonicalPathOf(mode, path)
    if (canonical === path || fileShownAt(paths, mode, canonical) !== path) return { kind: 'file', path }
    return isNavigation
      ? { ...redirectTo(canonical), varies: true }
      : { kind: 'file', path, canonical: encodeSitePath(canonical), varies: true }
  }
  const shown = fileShownAt(paths, mode, path)
  if (shown !== null) return { kind: 'file', path: shown }
  for (const file of candidateFiles(path)) {
    if (!paths.has(file)) continue
    const canonical = canonicalPathOf(mode, file)
    if (fileShownAt(paths, mode, canonical) === file) return redirectTo(canonical)
  }
  return null
}

function canonicalPathOf(mode: Mode, file: string): string {
  if (file.endsWith('/index.html')) {
    const folder = file.slice(0, -'index.html'.length)
    return mode === 'drop-trailing-slash' && folder !== '/' ? folder.slice(0, -1) : folder
  }
  if (!file.endsWith('.html') || file.endsWith('/.html')) return file
  const stem = file.slice(0, -'.html'.length)
  return mode === 'force-trailing-slash' ? `${stem}/` : stem
}

/** The file that a path shows without a redirect. */
function fileShownAt(paths: Paths, mode: Mode, path: string): string | null {
  if (paths.has(path)) return path
  const isFolder = path.endsWith('/')
  const stem = isFolder ? path.slice(0, -1) : path
  for (const file of mode === 'force-trailing-slash'
    ? [`${stem}/index.html`, `${stem}.html`]
    : [`${stem}.html`, `${stem}/index.html`]) {
    if (paths.has(file) && canonicalPathOf(mode, file) === path) return file
  }
  return null
}

/** The files that a visitor with this path may mean, likeliest first. */
function candidateFiles(path: string): string[] {
  const candidates: string[] = []
  for (const ending of ['/index.html', '/index', '/']) {
    if (!path.endsWith(ending)) continue
    const stem = path.slice(0, -ending.length)
    candidates.push(`${stem}/index.html`, `${stem}.html`)
    break
  }
  if (path.endsWith('.html')) candidates.push(`${path.slice(0, -'.html'.length)}/index.html`)
  candidates.push(`${path}.html`, `${path}/index.html`)
  return candidates
}

function exactOrIndex(paths: Paths, path: string): AssetDecision | null {
  if (paths.has(path)) return { kind: 'file', path }
  const index = `${path}index.html`
  return path.endsWith('/') && paths.has(index) ? { kind: 'file', path: index } : null
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
  return !path.startsWith('/.well-known/') && !isWebFile(path)
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
