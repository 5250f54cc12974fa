import { suggestSlug } from '@masthead/contract/slugs.ts'
import { controlCharacters } from '@masthead/contract/text/control-characters.ts'

export interface SiteFile {
  /** The URL path: `/docs/index.html`. */
  path: string
  file: File
  /** Reopens the file: browsers refuse to read one that changed since it was opened. Null if it was chosen. */
  reopen: (() => Promise<File>) | null
}

export interface FolderSite {
  kind: 'folder'
  /** The name of the folder; null for loose files. */
  name: string | null
  files: readonly SiteFile[]
  bytes: number
  /** Ignored paths: `/.env`, or a folder as `/.git/`. */
  leftOut?: readonly string[]
}

export interface ArchiveSite {
  kind: 'archive'
  name: string
  file: File
  type: ArchiveType
}

export type SiteUpload = FolderSite | ArchiveSite

/** Why something cannot be published, and how to fix it. */
export class SiteError extends Error {
  override readonly name = 'SiteError'
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.fix = fix
  }
}

export function archiveSite(file: File): ArchiveSite | null {
  const type = archiveType(file.name)
  return type === null ? null : { kind: 'archive', name: file.name, file, type }
}

type ArchiveType = 'application/gzip' | 'application/zip'

const endings = [
  { ending: /\.zip$/i, type: 'application/zip' },
  { ending: /\.(tar\.gz|tgz)$/i, type: 'application/gzip' },
] as const

/** For the `accept` attribute of a file input. */
export const archiveEndings = '.zip,.tar.gz,.tgz,application/zip,application/gzip'

/** The media type for an archive's file name; null for other files. */
export function archiveType(name: string): ArchiveType | null {
  return endings.find(({ ending }) => ending.test(name))?.type ?? null
}

function withoutArchiveEnding(name: string): string {
  return endings.reduce((rest, { ending }) => rest.replace(ending, ''), name)
}

/** Output folders of build tools, whose names say nothing about the project. */
const genericNames = new Set(['dist', 'build', 'out', 'public', '_site', 'site', 'html', 'www'])

/** The maximum length of a project name. */
export const nameLength = 80

/** Suggests a project name from a folder or an archive; may be empty. */
export function projectNameFrom(site: string | null): string {
  if (site === null) return ''
  const name = cut(
    withoutArchiveEnding(site)
      .replace(new RegExp(`[${controlCharacters}]`, 'gu'), ' ')
      .trim(),
  ).trim()
  return genericNames.has(name.toLowerCase()) ? '' : name
}

/** At most as long as a name may be, without half an emoji at its end. */
function cut(name: string): string {
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(name)) {
    if (kept.length + segment.length > nameLength) break
    kept += segment
  }
  return kept
}

/** Suggests a slug. Reserved ones, such as "docs", get a suffix. */
export function slugFrom(name: string): string {
  const longer = suggestSlug(`${name}-site`)
  return suggestSlug(name) ?? (longer === null || longer === 'site' ? '' : longer)
}

const maxNamed = 6

/** Whether `/` would be a 404. Unknown for an archive until the server unpacks it. */
export function lacksIndexPage(site: SiteUpload): boolean {
  return site.kind === 'folder' && !site.files.some(({ path }) => path === '/index.html')
}

/** ".env, .git/ and 3 more"; null if nothing is left out. */
export function leftOutWords(site: SiteUpload): string | null {
  const paths = site.kind === 'folder' ? (site.leftOut ?? []) : []
  const names = paths.map((path) => path.slice(1))
  if (names.length === 0) return null
  const more = names.length - maxNamed
  return `${names.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`
}
