import { projectFileNames } from '@masthead/contract/deployments.ts'
import { suggestSlug } from '@masthead/contract/project-settings.ts'

export interface SiteFile {
  /** As visitors name it: `/docs/index.html`. */
  path: string
  file: File
  /** The file as it is now, where it can be had: a browser does not read one that changed since it was taken. */
  again: () => Promise<File>
}

export interface FolderSite {
  kind: 'folder'
  /** What the folder is called; null for loose files. */
  name: string | null
  files: readonly SiteFile[]
  bytes: number
  /** What stays behind: `/.env`, or a folder as `/.git/`. */
  leftOut?: readonly string[]
}

export interface ArchiveSite {
  kind: 'archive'
  name: string
  file: File
  type: ArchiveType
}

/** What somebody wants to see published. */
export type SiteUpload = FolderSite | ArchiveSite

/** What cannot be published, and what to do about it. */
export class SiteFault extends Error {
  override readonly name = 'SiteFault'
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

/** What a file input is told to offer. */
export const archiveEndings = '.zip,.tar.gz,.tgz,application/zip,application/gzip'

/** How the API calls an archive of this name; null for what is no archive. */
export function archiveType(name: string): ArchiveType | null {
  return endings.find(({ ending }) => ending.test(name))?.type ?? null
}

function withoutArchiveEnding(name: string): string {
  return endings.reduce((rest, { ending }) => rest.replace(ending, ''), name)
}

/** Folders that build tools write to: they are called alike in every project and name none. */
const namesNothing = new Set(['dist', 'build', 'out', 'public', '_site', 'site', 'html', 'www'])

/** What the name of a project may have; that of a folder may have more. */
export const nameLength = 80

/** What a project of a folder or an archive could be called, or nothing. */
export function projectNameFrom(site: string | null): string {
  if (site === null) return ''
  const name = withoutArchiveEnding(site)
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, nameLength)
    .trim()
  return namesNothing.has(name.toLowerCase()) ? '' : name
}

/** The address that a name suggests; some names, such as "docs", are the platform's, and get a word more. */
export function slugFrom(name: string): string {
  const longer = suggestSlug(`${name}-site`)
  return suggestSlug(name) ?? (longer === null || longer === 'site' ? '' : longer)
}

const mostNamed = 6
const projectFiles: ReadonlySet<string> = new Set(projectFileNames)

/** Whether visitors of `/` would get a 404. What is in an archive, only the server knows. */
export function lacksIndexPage(site: SiteUpload): boolean {
  return site.kind === 'folder' && !site.files.some(({ path }) => path === '/index.html')
}

/** What stays behind: ".env, .git/ and 3 more"; null where nothing does but the project file. */
export function leftOutWords(site: SiteUpload): string | null {
  const paths = site.kind === 'folder' ? (site.leftOut ?? []) : []
  const names = paths.map((path) => path.slice(1)).filter((name) => !projectFiles.has(name))
  if (names.length === 0) return null
  const more = names.length - mostNamed
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`
}
