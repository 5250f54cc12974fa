import type { HtmlHandling } from '../project-settings.ts'

export interface Paths {
  has(path: string): boolean
}

/** The file that a path is about. Paths are decoded. */
export interface FileAtPath {
  readonly file: string
  /** The path that shows the file; null if it is the requested one. */
  readonly canonical: string | null
  /** Whether the requested path is the file's own name. */
  readonly isOwnName: boolean
}

type Mode = Exclude<HtmlHandling, 'none'>

/**
 * Finds the file that a path shows or leads to. Every HTML file has one canonical path:
 *
 *     file              auto     drop-trailing-slash   force-trailing-slash
 *     /docs/index.html  /docs/   /docs                 /docs/
 *     /about.html       /about   /about                /about/
 *
 * A file whose canonical path is taken keeps its own name: an exact file comes first, then `docs.html` (dropping) or
 * `docs/index.html` (forcing). With `none` there are only exact paths and directory indexes.
 */
export function findByPath(paths: Paths, htmlHandling: HtmlHandling, path: string): FileAtPath | null {
  return htmlHandling === 'none' ? exactOrIndex(paths, path) : find(paths, htmlHandling, path)
}

/** The file that a rule means by a path, without redirects; null if there is none. */
export function findFile(paths: Paths, path: string): string | null {
  return [path, ...candidateFiles(path)].find((file) => paths.has(file)) ?? null
}

/** The path that shows a file: `/docs/` for `/docs/index.html`. */
export function shownPathOf({ htmlHandling }: { htmlHandling: HtmlHandling }, file: string): string {
  if (htmlHandling !== 'none') return canonicalPathOf(htmlHandling, file)
  return file.endsWith('/index.html') ? file.slice(0, -'index.html'.length) : file
}

function find(paths: Paths, mode: Mode, path: string): FileAtPath | null {
  if (paths.has(path)) {
    const canonical = canonicalPathOf(mode, path)
    const isShownHere = canonical === path || fileShownAt(paths, mode, canonical) !== path
    return { file: path, canonical: isShownHere ? null : canonical, isOwnName: true }
  }
  const shown = fileShownAt(paths, mode, path)
  if (shown !== null) return { file: shown, canonical: null, isOwnName: false }
  for (const file of candidateFiles(path)) {
    if (!paths.has(file)) continue
    const canonical = canonicalPathOf(mode, file)
    if (fileShownAt(paths, mode, canonical) === file) return { file, canonical, isOwnName: false }
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

function exactOrIndex(paths: Paths, path: string): FileAtPath | null {
  if (paths.has(path)) return { file: path, canonical: null, isOwnName: true }
  const index = `${path}index.html`
  return path.endsWith('/') && paths.has(index) ? { file: index, canonical: null, isOwnName: false } : null
}
