import type { HtmlHandling } from '@masthead/contract/project-settings.ts'
import { mediaTypeOf } from '../../kernel/content-type.ts'
import { decodeSitePath, encodeSitePath } from './request-path.ts'

export interface AssetSettings {
  htmlHandling: HtmlHandling
  singlePage: boolean
}

export interface Paths {
  has(path: string): boolean
}

export type AssetDecision =
  /** `canonical`: where pages show it, if that is somewhere else. Percent-encoded like `location`. */
  (
    | { kind: 'file'; path: string; canonical?: string }
    /** By 307. Percent-encoded, begins with exactly one slash, has no query. */
    | { kind: 'redirect'; location: string }
    | { kind: 'not-found'; page: string | null }
  ) & {
    /** Set where the decision depends on `isNavigation`. */
    varies?: true
  }

/**
 * Which file answers a path. Every HTML file has a home, the one path it is shown at:
 *
 *     file              auto     drop-trailing-slash   force-trailing-slash
 *     /docs/index.html  /docs/   /docs                 /docs/
 *     /about.html       /about   /about                /about/
 *
 * Other ways to write it lead there. A file whose home is taken keeps its own name: an exact file goes first, then
 * `docs.html` (dropping) or `docs/index.html` (forcing). With `none` there are exact paths and directory indexes.
 *
 * Only navigations are redirected from a file's own name: a service worker that precaches `/index.html` must not
 * store a redirect, which browsers refuse as the answer to a navigation.
 */
export function resolveAsset(
  paths: Paths,
  settings: AssetSettings,
  rawPath: string,
  isNavigation: boolean,
): AssetDecision {
  const path = decodeSitePath(rawPath)
  if (path === null) return { kind: 'not-found', page: nearestPage(paths, '/') }
  const found =
    settings.htmlHandling === 'none'
      ? exactOrIndex(paths, path)
      : find(paths, settings.htmlHandling, path, isNavigation)
  if (found === null) return unmatched(paths, settings, path, isNavigation)
  // `//about` shows a path that is not the one it names, and would break relative links.
  if (found.kind === 'file' && rawPath.includes('//')) return redirectTo(path)
  return found
}

type Mode = Exclude<HtmlHandling, 'none'>

function find(paths: Paths, mode: Mode, path: string, isNavigation: boolean): AssetDecision | null {
  if (paths.has(path)) {
    const home = canonicalPathOf(mode, path)
    if (home === path || fileShownAt(paths, mode, home) !== path) return { kind: 'file', path }
    return isNavigation
      ? { ...redirectTo(home), varies: true }
      : { kind: 'file', path, canonical: encodeSitePath(home), varies: true }
  }
  const shown = fileShownAt(paths, mode, path)
  if (shown !== null) return { kind: 'file', path: shown }
  for (const file of candidateFiles(path)) {
    if (!paths.has(file)) continue
    const home = canonicalPathOf(mode, file)
    if (fileShownAt(paths, mode, home) === file) return redirectTo(home)
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

/** The file that is shown at a path without leading anywhere else. */
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

/** The files that somebody who typed this path may have meant, likeliest first. */
function candidateFiles(path: string): string[] {
  const meant: string[] = []
  for (const ending of ['/index.html', '/index', '/']) {
    if (!path.endsWith(ending)) continue
    const stem = path.slice(0, -ending.length)
    meant.push(`${stem}/index.html`, `${stem}.html`)
    break
  }
  if (path.endsWith('.html')) meant.push(`${path.slice(0, -'.html'.length)}/index.html`)
  meant.push(`${path}.html`, `${path}/index.html`)
  return meant
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
  { singlePage }: AssetSettings,
  path: string,
  isNavigation: boolean,
): AssetDecision {
  const page = nearestPage(paths, path)
  if (!singlePage || !paths.has('/index.html') || !mayBeView(path)) return { kind: 'not-found', page }
  return isNavigation
    ? { kind: 'file', path: '/index.html', varies: true }
    : { kind: 'not-found', page, varies: true }
}

/** Whether a path may be a view of a single-page app: a missing script or `robots.txt` is missing. */
function mayBeView(path: string): boolean {
  return !path.startsWith('/.well-known/') && mediaTypeOf(path) === null
}

/** Published paths are shorter, so a longer request cannot make us look at thousands of folders. */
const longestFolder = 1024

function nearestPage(paths: Paths, path: string): string | null {
  let end = path.lastIndexOf('/', longestFolder)
  while (end >= 0) {
    const page = `${path.slice(0, end)}/404.html`
    if (paths.has(page)) return page
    end = end === 0 ? -1 : path.lastIndexOf('/', end - 1)
  }
  return null
}
